/*
 * Detects combinatorial searches: a short request that causes very much work, whatever the data. One thread of the
 * embedded engine runs the searches of all clients, so such a search gets a shorter time limit than one that is slow
 * because its collection is large. The estimate is coarse and errs high: a fast search isn't affected by being
 * classified as combinatorial.
 */
import { expandFields } from '../lucene/expandFields.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Aggregation } from '../tree/Aggregation.js';
import { pathInside } from '../tree/pathInside.js';
import type { ExpandedQuery, Query } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import type { NestedSort, Sort } from '../tree/Sort.js';
import { assertBuckets } from './assertBuckets.js';
import { assertEndable } from './assertEndable.js';
import { childrenOf, lookupsOf } from './lookupsOf.js';

/** The position of the combinatorial part of a request. */
export interface Excess {
  readonly path: string;
}

/** Term lookups: one for a term, 10 for a pattern that is tried on every term. */
const MAX_LOOKUPS = 1_000;
/** Buckets of a response. */
const MAX_BUCKETS = 10_000;
/** Buckets that one document may be in. */
const MAX_PLACEMENTS = 5_000;
/** Fields to highlight, over all hits; an inner hit takes far less time. */
const MAX_PASSAGES = 500;
const INNER_HIT_PASSAGES = 0.005;

/** Assumed number of values per document in a multi-valued field. */
const SUPPOSED_VALUES = 20;
/** Assumed number of buckets of a histogram: the weeks of a year. */
const SUPPOSED_BUCKETS = 52;

/**
 * The part of a request that makes it combinatorial; undefined for ordinary ones.
 * @throws QueryError for work that can't be interrupted
 */
export function measureWork(request: SearchRequest, compiled: CompiledMapping): Excess | undefined {
  const { query, postFilter, sort = [], aggregations, highlight, size } = request;
  assertBuckets(aggregations);
  const expanded = expandFields(query, compiled);
  const post = postFilter && expandFields(postFilter, compiled);
  const queries = [expanded, ...(post ? [post] : []), ...filtersOf(aggregations, compiled)];
  const points = sort.reduce((sum, each) => sum + pointCount(each), 0);
  const nested = sort.flatMap((each) => sortFilters(each, compiled));
  const fields = highlight?.fields.length ?? 0;
  const marked = fields * Math.max(1, size) * patternFactor(expanded);
  const all = [...queries, ...nested];
  const counts = all.map((each) => lookups([each], compiled));
  if (counts.reduce((sum, count) => sum + count, points) > MAX_LOOKUPS)
    return { path: (all[counts.indexOf(Math.max(...counts))] ?? query).path };
  if (marked + passagesOf(expanded, size) + (post ? passagesOf(post, size) : 0) >= MAX_PASSAGES)
    return { path: marked > 0 ? 'highlight' : query.path };
  return excessOf(aggregations);
}

/** As `measureWork`, for a single query. */
export function measureQueryWork(query: Query, compiled: CompiledMapping): Excess | undefined {
  return lookups([expandFields(query, compiled)], compiled) > MAX_LOOKUPS
    ? { path: query.path }
    : undefined;
}

/** The reason given when a combinatorial search is refused. @param what happened to it, such as `takes too long` */
export function describeExcess({ path }: Excess, what: string): string {
  const parts = 'clauses, patterns, buckets in buckets, or hits with highlights or inner hits';
  return `The search ${what} (at ${path}): it has too many ${parts}. Ask for less at a time`;
}

function lookups(queries: readonly ExpandedQuery[], compiled: CompiledMapping): number {
  let sum = 0;
  for (const query of queries) {
    assertEndable(query, compiled);
    sum += lookupsOf(query) + lookups(childrenOf(query), compiled);
  }
  return sum;
}

/** Highlighting tries each pattern on each word. */
function patternFactor(query: ExpandedQuery): number {
  const total = (each: ExpandedQuery): number =>
    childrenOf(each).reduce((sum, child) => sum + total(child), lookupsOf(each));
  return Math.max(1, total(query) / 200);
}

/** Inner hits are searched and written for each enclosing hit. */
function passagesOf(query: ExpandedQuery, hitCount: number): number {
  const innerHits = query.kind === 'nested' ? query.innerHits : undefined;
  const shown = innerHits === undefined ? hitCount : hitCount * (innerHits.from + innerHits.size);
  const fields = innerHits?.highlight?.fields.length ?? 0;
  const own = innerHits === undefined ? 0 : shown * (fields + INNER_HIT_PASSAGES);
  return childrenOf(query).reduce((sum, child) => sum + passagesOf(child, shown), own);
}

function pointCount(sort: Sort): number {
  return sort.kind === 'geoDistance' ? sort.points.length : 0;
}

function sortFilters(sort: Sort, compiled: CompiledMapping): readonly ExpandedQuery[] {
  if (sort.kind !== 'geoDistance' && sort.kind !== 'field') return [];
  const filters: ExpandedQuery[] = [];
  for (let nested: NestedSort | undefined = sort.nested; nested; nested = nested.nested) {
    const { filter, path } = nested;
    if (filter !== undefined) filters.push(expandFields(filter, compiled, path));
  }
  return filters;
}

function filtersOf(
  aggregations: readonly Aggregation[],
  compiled: CompiledMapping,
  nestedPath?: string,
): readonly ExpandedQuery[] {
  return aggregations.flatMap((each) => {
    const own =
      each.kind === 'filter'
        ? [each.filter]
        : each.kind === 'filters'
          ? each.filters.map(({ filter }) => filter)
          : [];
    const inside = filtersOf(each.aggregations, compiled, pathInside(each, nestedPath));
    return [...own.map((filter) => expandFields(filter, compiled, nestedPath)), ...inside];
  });
}

/** Each bucket contains all its sub-aggregations. */
function excessOf(aggregations: readonly Aggregation[]): Excess | undefined {
  let buckets = 0;
  const find = (
    level: readonly Aggregation[],
    bucketCount: number,
    placementCount: number,
  ): Excess | undefined => {
    for (const each of level) {
      const inside = bucketCount * bucketsOf(each);
      const placements = placementCount * placementsOf(each);
      buckets += inside;
      if (buckets > MAX_BUCKETS || placements > MAX_PLACEMENTS) return { path: each.path };
      const excess = find(each.aggregations, inside, placements);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return find(aggregations, 1, 1);
}

/** A value that takes much memory or time counts as several buckets. */
function bucketsOf(aggregation: Aggregation): number {
  switch (aggregation.kind) {
    case 'terms':
    case 'composite':
    case 'geohash_grid':
      return aggregation.size;
    case 'range':
    case 'date_range':
    case 'filters':
      return placementsOf(aggregation);
    case 'histogram':
    case 'date_histogram':
      return SUPPOSED_BUCKETS;
    case 'top_hits':
      return (aggregation.from + aggregation.size) * 10;
    case 'cardinality':
      return Math.max(1, aggregation.precisionThreshold / 100);
    case 'percentiles':
    case 'median_absolute_deviation':
      return 10;
    default:
      return 1;
  }
}

function placementsOf(aggregation: Aggregation): number {
  switch (aggregation.kind) {
    case 'terms':
    case 'geohash_grid':
    case 'histogram':
      return SUPPOSED_VALUES;
    case 'range':
    case 'date_range':
      return aggregation.ranges.length;
    case 'filters':
      return aggregation.filters.length;
    case 'composite':
      return (
        SUPPOSED_VALUES ** aggregation.sources.filter((s) => s.kind !== 'date_histogram').length
      );
    default:
      return 1;
  }
}
