/*
 * The normal form of realtime-filters.md section 8: a disjunction of clauses. It names a filter's room and nothing else;
 * matching works on the tree.
 */
import { tooComplex } from '../FilterError.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { Condition, Filter } from '../Filter.js';
import { canonicalCondition } from './canonicalCondition.js';
import type { Clause } from './Clause.js';
import { LeafTable, sortScalars, type NormalLeaf } from './LeafTable.js';
import type { Literal } from './Literal.js';
import { simplifyClauses } from './simplifyClauses.js';
import { toClauses } from './toClauses.js';
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
  if (leaf !== undefined) return normalizeLeaf(leaf);
  const budget = new WorkBudget(MAX_WORK);
  const table = new LeafTable(filter);
  const clauses = simplifyClauses(toClauses(filter, { table, limits, budget }), budget);
  const conditions = clauses.reduce((sum, { literals }) => sum + literals.length, 0);
  if (conditions > limits.conditions) {
    throw tooComplex(`more than ${limits.conditions} conditions after normalisation`);
  }
  return new SortedForm(clauses, table);
}

function leafOf(filter: Filter): Condition | undefined {
  switch (filter.kind) {
    case 'everything':
    case 'nothing':
    case 'and':
    case 'or':
    case 'not':
      return undefined;
    default:
      return filter;
  }
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
  readonly key: string;

  constructor(
    private readonly sets: readonly Clause[],
    private readonly table: LeafTable,
  ) {
    const keys = sets.map((clause) => this.keyOf(clause));
    this.key = `[${keys.sort().join(',')}]`;
  }

  get clauses(): readonly (readonly NormalLeaf[])[] {
    const { sets, table } = this;
    return sortedBy(sets, (clause) => this.keyOf(clause)).map(({ literals }) =>
      sortedBy(literals, (literal) => table.keyOf(literal)).map((literal) => table.leafOf(literal)),
    );
  }

  private keyOf({ literals }: Clause): string {
    const keys: string[] = [];
    for (let i = 0; i < literals.length; i++) keys.push(this.table.keyOf(literals[i] as Literal));
    if (keys.length > 1) keys.sort();
    return `[${keys.join(',')}]`;
  }
}

/** @param keyOf different for each of them */
function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  return [...byKey.keys()].sort().map((key) => byKey.get(key) as T);
}
