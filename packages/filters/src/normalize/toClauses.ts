/*
 * The disjunction of clauses that a filter's tree spreads out to: negations go down while clauses are formed, products
 * are counted as they grow, and the work is bounded, so that a filter that is too complex is refused before it costs
 * anything.
 */
import { tooComplex } from '../FilterError.js';
import type { Filter } from '../Filter.js';
import type { FilterLimits } from '../FilterLimits.js';
import { conjoinClauses, toClause, type Clause } from './Clause.js';
import { ClauseSet } from './ClauseSet.js';
import type { LeafTable } from './LeafTable.js';
import { unite, type Literal } from './Literal.js';
import type { WorkBudget } from './WorkBudget.js';

/** What one normalisation works with. */
export interface NormalisationContext {
  readonly table: LeafTable;
  readonly limits: FilterLimits;
  readonly budget: WorkBudget;
}

export function toClauses(
  filter: Filter,
  isNegated: boolean,
  context: NormalisationContext,
): ClauseSet {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
      return (filter.kind === 'everything') === isNegated ? new ClauseSet() : everything();
    case 'not':
      return toClauses(filter.operand, !isNegated, context);
    case 'and':
    case 'or': {
      const operands = filter.operands.map((each) => toClauses(each, isNegated, context));
      const isProduct = (filter.kind === 'and') !== isNegated;
      return isProduct ? multiply(operands, context) : add(operands, context);
    }
    default: {
      const literal = context.table.toLiteral(filter, isNegated);
      const clause = toClause([literal]);
      context.budget.spendOn(clause);
      return ClauseSet.of(clause);
    }
  }
}

function everything(): ClauseSet {
  return ClauseSet.of(toClause([]));
}

/** One-literal clauses of the same slot are united at once: an `or` of many `equals` is one clause. */
function add(operands: readonly ClauseSet[], { limits, budget }: NormalisationContext): ClauseSet {
  const all = new ClauseSet();
  const units = new Map<number, Literal[]>();
  for (const { clauses } of operands) {
    for (const clause of clauses) {
      budget.spendOn(clause);
      const [literal] = clause.literals;
      if (literal === undefined) return everything();
      if (clause.literals.length > 1) {
        all.add(clause);
        continue;
      }
      const alike = units.get(literal.slot);
      if (alike === undefined) units.set(literal.slot, [literal]);
      else alike.push(literal);
    }
  }
  for (const literals of units.values()) {
    const whole = uniteAll(literals, budget);
    if (whole === 'everything') return everything();
    all.add(toClause([whole]));
  }
  return checked(all, limits);
}

/** Halves the list, so that many values are not copied one by one. */
function uniteAll(literals: readonly Literal[], budget: WorkBudget): Literal | 'everything' {
  const [first, second] = literals;
  if (first === undefined) throw new RangeError('nothing to unite');
  if (second === undefined) return first;
  const middle = literals.length >> 1;
  const left = uniteAll(literals.slice(0, middle), budget);
  if (left === 'everything') return left;
  const right = uniteAll(literals.slice(middle), budget);
  if (right === 'everything') return right;
  budget.spend(2 + ((left.values.length + right.values.length) >> 1));
  return unite(left, right);
}

/** The operands with few clauses first, so that the order of the request neither costs nor counts. */
function multiply(operands: readonly ClauseSet[], context: NormalisationContext): ClauseSet {
  const units: Clause[] = [];
  const others: ClauseSet[] = [];
  for (const operand of operands) {
    const [only] = operand.clauses;
    if (only === undefined) return new ClauseSet();
    if (operand.size === 1) units.push(only);
    else others.push(operand);
  }
  const base = conjoinAll(units, context.budget);
  if (base === undefined) return new ClauseSet();
  let product = ClauseSet.of(base);
  if (others.length > 1) {
    const ranked = others.map((set) => ({ set, rank: rankOf(set) }));
    ranked.sort((a, b) => a.set.size - b.set.size || a.rank - b.rank);
    for (const { set } of ranked) product = multiplyTwo(product, set, context);
    return product;
  }
  for (const set of others) product = multiplyTwo(product, set, context);
  return product;
}

/** Whatever the order of its clauses. */
function rankOf({ clauses }: ClauseSet): number {
  let rank = 0;
  for (const { hash } of clauses) rank += hash;
  return rank;
}

/** Halves the list, so that long conjunctions are not copied once per operand. */
function conjoinAll(clauses: readonly Clause[], budget: WorkBudget): Clause | undefined {
  if (clauses.length <= 1) return clauses[0] ?? toClause([]);
  const middle = clauses.length >> 1;
  const left = conjoinAll(clauses.slice(0, middle), budget);
  const right = conjoinAll(clauses.slice(middle), budget);
  if (left === undefined || right === undefined) return undefined;
  budget.spendOn(left);
  budget.spendOn(right);
  return conjoinClauses(left, right);
}

function multiplyTwo(
  a: ClauseSet,
  b: ClauseSet,
  { limits, budget }: NormalisationContext,
): ClauseSet {
  const product = new ClauseSet();
  for (const left of a.clauses) {
    for (const right of b.clauses) {
      budget.spendOn(left);
      budget.spendOn(right);
      const both = conjoinClauses(left, right);
      if (both === undefined) continue;
      product.add(both);
      checked(product, limits);
    }
  }
  return product;
}

function checked(clauses: ClauseSet, limits: FilterLimits): ClauseSet {
  if (clauses.size <= limits.clauses) return clauses;
  throw tooComplex(`more than ${limits.clauses} clauses after normalisation`);
}
