/*
 * The disjunction of clauses that a filter's tree spreads out to: negations go down while clauses are formed, products
 * are counted as they grow, and the work is bounded, so that a filter that is too complex is refused before it costs
 * anything. Conditions that stand side by side in a group, however nested, are gathered before anything is made of them.
 */
import { tooComplex } from '../FilterError.js';
import type { Condition, Filter } from '../Filter.js';
import type { FilterLimits } from '../FilterLimits.js';
import { conjoinClauses, toClause, type Clause } from './Clause.js';
import { ClauseSet } from './ClauseSet.js';
import type { LeafTable } from './LeafTable.js';
import { conjoinAll, uniteAll, type Literal } from './Literal.js';
import type { WorkBudget } from './WorkBudget.js';
import type { Steps } from '../Steps.js';

/** Operands that need no steps. */
const FEW = 8;

/** What one normalisation works with. */
export interface NormalisationContext {
  readonly table: LeafTable;
  readonly limits: FilterLimits;
  readonly budget: WorkBudget;
}

export function toClauses(filter: Filter, context: NormalisationContext): Steps<ClauseSet> {
  return sumOf([filter], false, context);
}

function everything(): ClauseSet {
  return ClauseSet.of(toClause([]));
}

/** The operands of one group: those that are one condition by slot, and clauses of several. */
class Gathered {
  readonly literals = new Map<number, Literal | Literal[]>();

  constructor(private readonly context: NormalisationContext) {}

  addLeaf(condition: Condition, isNegated: boolean): void {
    this.addLiteral(this.context.table.toLiteral(condition, isNegated));
  }

  addLiteral(literal: Literal): void {
    this.context.budget.spend(2 + (literal.values.length >> 2));
    const { slot } = literal;
    const alike = this.literals.get(slot);
    if (alike === undefined) this.literals.set(slot, literal);
    else if (Array.isArray(alike)) alike.push(literal);
    else this.literals.set(slot, [alike, literal]);
  }
}

/** A disjunction. One-literal clauses of the same slot are united at once: an `or` of many `equals` is one clause. */
function* sumOf(
  operands: readonly Filter[],
  isNegated: boolean,
  context: NormalisationContext,
): Steps<ClauseSet> {
  const units = new Gathered(context);
  const all = new ClauseSet();
  if (yield* addOperands(operands, isNegated, { context, units, all })) return everything();
  for (const literals of units.literals.values()) {
    const whole = Array.isArray(literals) ? uniteAll(literals) : literals;
    if (whole === 'everything') return everything();
    all.add(toClause([whole]));
  }
  return checked(all, context.limits);
}

interface Sum {
  readonly context: NormalisationContext;
  readonly units: Gathered;
  readonly all: ClauseSet;
}

/** @returns whether one of them is always true */
function* addOperands(operands: readonly Filter[], isNegated: boolean, sum: Sum): Steps<boolean> {
  for (let i = 0; i < operands.length; i++) {
    let filter = operands[i] as Filter;
    let isDenied = isNegated;
    for (; filter.kind === 'not'; filter = filter.operand) isDenied = !isDenied;
    switch (filter.kind) {
      case 'everything':
      case 'nothing':
        if ((filter.kind === 'everything') !== isDenied) return true;
        break;
      case 'and':
      case 'or': {
        if ((filter.kind === 'or') !== isDenied) {
          if (yield* addOperands(filter.operands, isDenied, sum)) return true;
        } else if (addClauses(yield* productOf(filter.operands, isDenied, sum.context), sum)) return true; // prettier-ignore
        break;
      }
      default:
        sum.units.addLeaf(filter, isDenied);
    }
    if (sum.context.budget.isDue()) yield;
  }
  return false;
}

/** @returns whether one of them is always true */
function addClauses({ clauses }: ClauseSet, { units, all, context }: Sum): boolean {
  for (let i = 0; i < clauses.length; i++) {
    const clause = clauses[i] as Clause;
    const [first, second] = clause.literals;
    if (first === undefined) return true;
    if (second === undefined) units.addLiteral(first);
    else {
      context.budget.spendOn(clause);
      all.add(clause);
    }
  }
  return false;
}

interface Product {
  readonly context: NormalisationContext;
  readonly units: Gathered;
  readonly others: ClauseSet[];
}

/** A conjunction: the operands with few clauses first, so that the order of the request neither costs nor counts. */
function* productOf(
  operands: readonly Filter[],
  isNegated: boolean,
  context: NormalisationContext,
): Steps<ClauseSet> {
  const units = new Gathered(context);
  const others: ClauseSet[] = [];
  const isNever =
    multiplyFew(operands, isNegated, units) ??
    (yield* multiplyOperands(operands, isNegated, { context, units, others }));
  if (isNever) return new ClauseSet();
  const base: Literal[] = [];
  for (const literals of units.literals.values()) {
    const whole = Array.isArray(literals) ? conjoinAll(literals) : literals;
    if (whole === 'nothing') return new ClauseSet();
    base.push(whole);
  }
  let product = ClauseSet.of(toClause(bySlot(base)));
  if (others.length > 1) {
    const ranked = others.map((set) => ({ set, rank: rankOf(set) }));
    ranked.sort((a, b) => a.set.size - b.set.size || a.rank - b.rank);
    for (const { set } of ranked) product = yield* multiplyTwo(product, set, context);
    return product;
  }
  for (const set of others) product = yield* multiplyTwo(product, set, context);
  return product;
}

/** The commonest conjunctions, of a few conditions, without steps. @returns undefined for others: nothing is done then */
function multiplyFew(
  operands: readonly Filter[],
  isNegated: boolean,
  units: Gathered,
): false | undefined {
  if (operands.length > FEW) return undefined;
  for (let i = 0; i < operands.length; i++) if (!isCondition(operands[i] as Filter)) return undefined; // prettier-ignore
  for (let i = 0; i < operands.length; i++) units.addLeaf(operands[i] as Condition, isNegated);
  return false;
}

function isCondition({ kind }: Filter): boolean {
  switch (kind) {
    case 'everything':
    case 'nothing':
    case 'and':
    case 'or':
    case 'not':
      return false;
    default:
      return true;
  }
}

/** @returns whether one of them is never true */
function* multiplyOperands(
  operands: readonly Filter[],
  isNegated: boolean,
  product: Product,
): Steps<boolean> {
  for (let i = 0; i < operands.length; i++) {
    let filter = operands[i] as Filter;
    let isDenied = isNegated;
    for (; filter.kind === 'not'; filter = filter.operand) isDenied = !isDenied;
    switch (filter.kind) {
      case 'everything':
      case 'nothing':
        if ((filter.kind === 'everything') === isDenied) return true;
        break;
      case 'and':
      case 'or': {
        if ((filter.kind === 'and') !== isDenied) {
          if (yield* multiplyOperands(filter.operands, isDenied, product)) return true;
        } else if (multiplyBy(yield* sumOf(filter.operands, isDenied, product.context), product)) return true; // prettier-ignore
        break;
      }
      default:
        product.units.addLeaf(filter, isDenied);
    }
    if (product.context.budget.isDue()) yield;
  }
  return false;
}

/** @returns whether it is never true */
function multiplyBy(set: ClauseSet, { units, others }: Product): boolean {
  const [first, second] = set.clauses;
  if (first === undefined) return true;
  if (second !== undefined) others.push(set);
  else for (const literal of first.literals) units.addLiteral(literal);
  return false;
}

function bySlot(literals: Literal[]): Literal[] {
  let isSorted = true;
  for (let i = 1; i < literals.length && isSorted; i++) {
    isSorted = (literals[i] as Literal).slot > (literals[i - 1] as Literal).slot;
  }
  if (isSorted) return literals;
  const places = Int32Array.from(literals, ({ slot }) => slot).sort();
  const found = new Map(literals.map((literal) => [literal.slot, literal]));
  return Array.from(places, (slot) => found.get(slot) as Literal);
}

/** Whatever the order of its clauses. */
function rankOf({ clauses }: ClauseSet): number {
  let rank = 0;
  for (const { hash } of clauses) rank += hash;
  return rank;
}

function* multiplyTwo(
  a: ClauseSet,
  b: ClauseSet,
  { limits, budget }: NormalisationContext,
): Steps<ClauseSet> {
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
    if (budget.isDue()) yield;
  }
  return product;
}

function checked(clauses: ClauseSet, limits: FilterLimits): ClauseSet {
  if (clauses.size <= limits.clauses) return clauses;
  throw tooComplex(`more than ${limits.clauses} clauses after normalisation`);
}
