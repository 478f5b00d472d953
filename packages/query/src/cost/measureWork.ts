/*
 * Detects combinatorial searches: a short request that causes very much work, whatever the data. One thread of the
 * embedded engine runs the searches of all clients, so such a search gets a shorter time limit than one that is slow
 * because its collection is large. The estimate is coarse and errs high: a fast search isn't affected by being
 * classified as combinatorial.
 */
import type { QueryCost } from '../bind/Binding.js';
import type { Aggregation } from '../tree/Aggregation.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import type { Sort } from '../tree/Sort.js';

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
/** Fields to highlight, over all hits and inner hits. */
const MAX_PASSAGES = 500;

/** Assumed number of values per document in a multi-valued field. */
const SUPPOSED_VALUES = 20;
/** Assumed number of buckets of a histogram: the weeks of a year. */
const SUPPOSED_BUCKETS = 52;

/** The combinatorial part of a query by itself. */
export function excessOfQuery(costs: readonly QueryCost[]): Excess | undefined {
  const found = costs.find(({ lookups }) => lookups > MAX_LOOKUPS);
  return found && { path: found.path };
}

/**
 * The part of a request that makes it combinatorial; undefined for ordinary ones.
 * @param costs of its queries, the one of the search first
 */
export function excessOfSearch(
  { sort = [], aggregations, highlight, size, query }: SearchRequest,
  costs: readonly QueryCost[],
): Excess | undefined {
  const points = sort.reduce((sum, each) => sum + pointCount(each), 0);
  if (costs.reduce((sum, { lookups }) => sum + lookups, points) > MAX_LOOKUPS) {
    const [first = query] = [...costs].sort((a, b) => b.lookups - a.lookups);
    return { path: first.path };
  }
  // Highlighting tries each pattern on each word.
  const patternFactor = Math.max(1, (costs[0]?.lookups ?? 0) / 200);
  const marked = (highlight?.fields.length ?? 0) * Math.max(1, size) * patternFactor;
  const inner = costs.reduce((sum, { innerPassages }) => sum + innerPassages, 0) * size;
  if (marked + inner >= MAX_PASSAGES) return { path: marked > 0 ? 'highlight' : query.path };
  return excessOf(aggregations);
}

/** The reason given when a combinatorial search is refused. @param what happened to it, such as `takes too long` */
export function describeExcess({ path }: Excess, what: string): string {
  const parts = 'clauses, patterns, buckets in buckets, or hits with highlights or inner hits';
  return `The search ${what} (at ${path}): it has too many ${parts}. Ask for less at a time`;
}

function pointCount(sort: Sort): number {
  return sort.kind === 'geoDistance' ? sort.points.length : 0;
}

/** Each bucket contains all its sub-aggregations. */
function excessOf(aggregations: readonly Aggregation[]): Excess | undefined {
  let buckets = 0;
  const find = (level: readonly Aggregation[], bucketCount: number, placementCount: number): Excess | undefined => {
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
      return SUPPOSED_VALUES ** aggregation.sources.filter((s) => s.kind !== 'date_histogram').length;
    default:
      return 1;
  }
}
