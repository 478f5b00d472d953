/*
 * The normal form of realtime-filters.md section 8: a disjunction of clauses. Negations are pushed down while clauses
 * are formed; products are counted as they grow and the work is bounded, so a filter that is too complex is refused
 * before it costs anything.
 */
import { tooComplex } from '../FilterError.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import type { Condition, Filter } from '../Filter.js';
import { conjoinClauses, EVERYTHING, NOTHING, toClause, type Clause, type ClauseSet } from './Clause.js'; // prettier-ignore
import { toCondition, toLiteral } from './Literal.js';
import { simplifyClauses, uniteUnits } from './simplifyClauses.js';
import { WorkBudget } from './WorkBudget.js';

const MAX_WORK = 200_000;

/** A leaf of the normal form. */
export interface NormalLeaf {
  readonly condition: Condition;
  readonly isNegated: boolean;
}

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
  const budget = new WorkBudget(MAX_WORK);
  const clauses = simplifyClauses(toClauses(filter, false, limits, budget), budget);
  const conditions = [...clauses.values()].reduce((sum, { literals }) => sum + literals.size, 0);
  if (conditions > limits.conditions) {
    throw tooComplex(`more than ${limits.conditions} conditions after normalisation`);
  }
  return toNormalFilter([...clauses.values()]);
}

function toNormalFilter(clauses: readonly Clause[]): NormalFilter {
  const sorted = clauses
    .map(({ literals }) => [...literals.values()].sort((a, b) => (a.key < b.key ? -1 : 1)))
    .map((literals) => ({ literals, key: `[${literals.map(({ key }) => key).join(',')}]` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    clauses: sorted.map(({ literals }) => literals.map(toLeaf)),
    key: `[${sorted.map(({ key }) => key).join(',')}]`,
  };
}

function toLeaf(literal: Parameters<typeof toCondition>[0]): NormalLeaf {
  const { condition, isNegated } = toCondition(literal);
  return { condition, isNegated };
}

function toClauses(
  filter: Filter,
  isNegated: boolean,
  limits: FilterLimits,
  budget: WorkBudget,
): ClauseSet {
  switch (filter.kind) {
    case 'everything':
      return isNegated ? NOTHING : EVERYTHING;
    case 'nothing':
      return isNegated ? EVERYTHING : NOTHING;
    case 'not':
      return toClauses(filter.operand, !isNegated, limits, budget);
    case 'and':
    case 'or': {
      const operands = filter.operands.map((each) => toClauses(each, isNegated, limits, budget));
      const isProduct = (filter.kind === 'and') !== isNegated;
      return isProduct ? multiply(operands, limits, budget) : add(operands, limits, budget);
    }
    default: {
      budget.spend(filter.kind === 'in' ? filter.values.length : 1);
      const clause = toClause([toLiteral(filter, isNegated)]);
      return new Map([[clause.key, clause]]);
    }
  }
}

function add(operands: readonly ClauseSet[], limits: FilterLimits, budget: WorkBudget): ClauseSet {
  const all = new Map<string, Clause>();
  for (const operand of operands) {
    for (const [key, clause] of operand) {
      budget.spendOn(clause);
      all.set(key, clause);
    }
  }
  return checked(uniteUnits(all), limits);
}

/** The operands with few clauses first, so that the order of the request neither costs nor counts. */
function multiply(
  operands: readonly ClauseSet[],
  limits: FilterLimits,
  budget: WorkBudget,
): ClauseSet {
  const units: Clause[] = [];
  const others: ClauseSet[] = [];
  for (const operand of operands) {
    const [only] = operand.values();
    if (only === undefined) return NOTHING;
    if (operand.size === 1) units.push(only);
    else others.push(operand);
  }
  const base = conjoinAll(units, budget);
  if (base === undefined) return NOTHING;
  let product: ClauseSet = new Map([[base.key, base]]);
  const ranked = others.map((set) => ({ set, rank: [...set.keys()].sort().join(';') }));
  ranked.sort((a, b) => a.set.size - b.set.size || (a.rank < b.rank ? -1 : 1));
  for (const { set } of ranked) product = multiplyTwo(product, set, limits, budget);
  return product;
}

/** Halves the list, so that long conjunctions are not copied once per operand. */
function conjoinAll(clauses: readonly Clause[], budget: WorkBudget): Clause | undefined {
  if (clauses.length <= 1) return clauses[0] ?? toClause([]);
  const middle = clauses.length >> 1;
  const left = conjoinAll(clauses.slice(0, middle), budget);
  const right = conjoinAll(clauses.slice(middle), budget);
  if (left === undefined || right === undefined) return undefined;
  budget.spendOn(left, right);
  return conjoinClauses(left, right);
}

function multiplyTwo(
  a: ClauseSet,
  b: ClauseSet,
  limits: FilterLimits,
  budget: WorkBudget,
): ClauseSet {
  const product = new Map<string, Clause>();
  for (const left of a.values()) {
    for (const right of b.values()) {
      budget.spendOn(left, right);
      const both = conjoinClauses(left, right);
      if (both === undefined) continue;
      product.set(both.key, both);
      checked(product, limits);
    }
  }
  return product;
}

function checked(clauses: ClauseSet, limits: FilterLimits): ClauseSet {
  if (clauses.size <= limits.clauses) return clauses;
  throw tooComplex(`more than ${limits.clauses} clauses after normalisation`);
}
