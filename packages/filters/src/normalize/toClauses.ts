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
import { leafOf } from './leafOf.js';
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
  const take = (set: ClauseSet) => addClauses(set, { context, units, all });
  const group: Group = { kind: 'or', context, units, take };
  if (yield* addOperands(operands, isNegated, group)) return everything();
  for (const literals of units.literals.values()) {
    const whole = Array.isArray(literals) ? uniteAll(literals) : literals;
    if (whole === 'everything') return everything();
    all.add(toClause([whole]));
  }
  return checked(all, context.limits);
}

/** A disjunction or conjunction that takes in the operands of its group. */
interface Group {
  readonly kind: 'or' | 'and';
  readonly context: NormalisationContext;
  readonly units: Gathered;
  /** Takes in an operand of the other kind. @returns whether it decides the group */
  readonly take: (set: ClauseSet) => boolean;
}

/** @returns whether one of them decides the group: is always true in a disjunction, never in a conjunction */
function* addOperands(
  operands: readonly Filter[],
  isNegated: boolean,
  group: Group,
): Steps<boolean> {
  const { kind, context, units } = group;
  for (let i = 0; i < operands.length; i++) {
    let filter = operands[i] as Filter;
    let isDenied = isNegated;
    for (; filter.kind === 'not'; filter = filter.operand) isDenied = !isDenied;
    switch (filter.kind) {
      case 'everything':
      case 'nothing': {
        const isTrue = (filter.kind === 'everything') !== isDenied;
        if (isTrue === (kind === 'or')) return true;
        break;
      }
      case 'and':
      case 'or': {
        if ((filter.kind === kind) !== isDenied) {
          if (yield* addOperands(filter.operands, isDenied, group)) return true;
          break;
        }
        const setOf = kind === 'or' ? productOf : sumOf;
        if (group.take(yield* setOf(filter.operands, isDenied, context))) return true;
        break;
      }
      default:
        units.addLeaf(filter, isDenied);
    }
    if (context.budget.isDue()) yield;
  }
  return false;
}

interface Sum {
  readonly context: NormalisationContext;
  readonly units: Gathered;
  readonly all: ClauseSet;
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

/** A conjunction: the operands with few clauses first, so that the order of the request neither costs nor counts. */
function* productOf(
  operands: readonly Filter[],
  isNegated: boolean,
  context: NormalisationContext,
): Steps<ClauseSet> {
  const units = new Gathered(context);
  const others: ClauseSet[] = [];
  if (!addFew(operands, isNegated, units)) {
    const take = (set: ClauseSet) => multiplyBy(set, units, others);
    const group: Group = { kind: 'and', context, units, take };
    if (yield* addOperands(operands, isNegated, group)) return new ClauseSet();
  }
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

/** The commonest conjunctions, of a few conditions, without steps. @returns false for others: nothing is done then */
function addFew(operands: readonly Filter[], isNegated: boolean, units: Gathered): boolean {
  if (operands.length > FEW) return false;
  for (let i = 0; i < operands.length; i++) if (leafOf(operands[i] as Filter) === undefined) return false; // prettier-ignore
  for (let i = 0; i < operands.length; i++) units.addLeaf(operands[i] as Condition, isNegated);
  return true;
}

/** @returns whether it is never true */
function multiplyBy(set: ClauseSet, units: Gathered, others: ClauseSet[]): boolean {
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
