/*
 * The normal form of realtime-filters.md section 8: a disjunction of clauses. It names a filter's room and nothing else;
 * matching works on the tree.
 */
import { tooComplex } from '../FilterError.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { Condition, Filter } from '../Filter.js';
import { canonicalCondition } from './canonicalCondition.js';
import type { Clause } from './Clause.js';
import { leafOf } from './leafOf.js';
import { LeafTable, sortScalars, type NormalLeaf } from './LeafTable.js';
import type { Literal } from './Literal.js';
import { simplifyClauses } from './simplifyClauses.js';
import { toClauses } from './toClauses.js';
import type { Pace } from '../Pace.js';
import { takeAll, UNPACED, type Steps } from '../Steps.js';
import { WorkBudget } from './WorkBudget.js';

/** Some 10 ns each once the code is warm. */
const MAX_WORK = 32_000;

/**
 * A filter in normal form: true where all leaves of one clause hold. No clause is *nothing*, one empty clause
 * *everything*. Sorted, so that equal filters are equal in `key`.
 */
export interface NormalFilter {
  readonly clauses: readonly (readonly NormalLeaf[])[];
  /** Canonical JSON. */
  readonly key: string;
}

/**
 * Brings a filter to its normal form: filters that differ in key and operand order, nesting, duplicates, aliases, De
 * Morgan, distribution, absorption or `or` of `equals` against `in` get the same one.
 * @throws FilterError (`filter_too_complex`) above the limits of section 9
 */
export function normalizeFilter(
  filter: Filter,
  limits: FilterLimits = DEFAULT_FILTER_LIMITS,
): NormalFilter {
  const leaf = leafOf(filter);
  return leaf === undefined ? takeAll(normalizeTree(filter, limits, UNPACED)) : normalizeLeaf(leaf);
}

/** As `normalizeFilter`, in steps. */
export function* normalizeInSteps(
  filter: Filter,
  limits: FilterLimits,
  pace: Pace,
): Steps<NormalFilter> {
  const leaf = leafOf(filter);
  return leaf === undefined ? yield* normalizeTree(filter, limits, pace) : normalizeLeaf(leaf);
}

function* normalizeTree(filter: Filter, limits: FilterLimits, pace: Pace): Steps<NormalFilter> {
  const budget = new WorkBudget(MAX_WORK, pace);
  const table = new LeafTable(pace);
  yield* table.collect('operands' in filter ? filter.operands : [filter]);
  table.number();
  const spread = yield* toClauses(filter, { table, limits, budget });
  const clauses = spread.size < 2 ? spread.clauses : yield* simplifyClauses(spread, budget);
  let conditions = 0;
  for (const { literals } of clauses) conditions += literals.length;
  if (conditions > limits.conditions) {
    throw tooComplex(`more than ${limits.conditions} conditions after normalisation`);
  }
  const [only] = clauses;
  if (only !== undefined && clauses.length === 1) {
    return new SortedForm(`[${keyOf(only, table)}]`, clauses, table);
  }
  return yield* sortClauses(clauses, table, budget);
}

/** What the steps below come to for the commonest filters, those of one condition. */
function normalizeLeaf(leaf: Condition): NormalFilter {
  const isList = leaf.kind === 'in' && leaf.values.length > 1;
  const condition = isList ? { ...leaf, values: sortScalars([...new Set(leaf.values)]) } : leaf;
  return {
    clauses: [[{ condition, isNegated: false }]],
    key: `[[${canonicalCondition(condition)}]]`,
  };
}

/** Most callers want the key alone. */
class SortedForm implements NormalFilter {
  constructor(
    readonly key: string,
    private readonly sets: readonly Clause[],
    private readonly table: LeafTable,
  ) {}

  get clauses(): readonly (readonly NormalLeaf[])[] {
    const { sets, table } = this;
    return sortedBy(sets, (clause) => keyOf(clause, table)).map(({ literals }) =>
      sortedBy(literals, (literal) => table.keyOf(literal)).map((literal) => table.leafOf(literal)),
    );
  }
}

function* sortClauses(
  clauses: readonly Clause[],
  table: LeafTable,
  budget: WorkBudget,
): Steps<SortedForm> {
  const keys: string[] = [];
  for (let i = 0; i < clauses.length; i++) {
    const clause = clauses[i] as Clause;
    keys.push(keyOf(clause, table));
    if (budget.isDue(workOn(clause))) yield;
  }
  return new SortedForm(`[${keys.sort().join(',')}]`, clauses, table);
}

function keyOf({ literals }: Clause, table: LeafTable): string {
  const keys: string[] = [];
  for (let i = 0; i < literals.length; i++) keys.push(table.keyOf(literals[i] as Literal));
  if (keys.length > 1) keys.sort();
  return `[${keys.join(',')}]`;
}

/** What writing a clause out takes, in units of work. */
function workOn({ literals }: Clause): number {
  let units = 0;
  for (let i = 0; i < literals.length; i++) units += 8 + (literals[i] as Literal).values.length;
  return units;
}

/** @param keyOf different for each of them */
function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  return [...byKey.keys()].sort().map((key) => byKey.get(key) as T);
}
