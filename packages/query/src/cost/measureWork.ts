/*
 * Detects combinatorial searches: a short request that causes very much work, whatever the data. One thread of the
 * embedded engine runs the searches of all clients, so such a search gets a shorter time limit than one that is slow
 * because its collection is large. The estimate is coarse and errs high: a fast search isn't affected by being
 * classified as combinatorial.
 */
import type { Aggregation } from '../tree/Aggregation.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import type { Sort } from '../tree/Sort.js';

/** Cost of one bound query. */
export interface QueryCost {
  readonly path: string;
  /** Number of terms to look up. */
  lookups: number;
  /** Fields to highlight in inner hits, per hit of the search. */
  innerPassages: number;
}

/** Numbers of buckets, for limits. */
export interface BucketCounts {
  /** Per enclosing bucket; a value that takes much memory or time counts as several. */
  readonly buckets: number;
  /** Number of buckets that one document may be in. */
  readonly placements: number;
  /** Returned per enclosing bucket whatever the data are; 0: their number depends on the data. */
  readonly certain: number;
}

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

/** The combinatorial part of a query by itself. */
export function excessOfQuery(costs: readonly QueryCost[]): Excess | undefined {
  const found = costs.find(({ lookups }) => lookups > MAX_LOOKUPS);
  return found && { path: found.path };
}

/**
 * The part of a request that makes it combinatorial; undefined for ordinary ones.
 * @param costs of its queries, the one of the search first
 * @param countsOf numbers of buckets of an aggregation
 */
export function excessOfSearch(
  { sort = [], aggregations, highlight, size, query }: SearchRequest,
  costs: readonly QueryCost[],
  countsOf: (aggregation: Aggregation) => BucketCounts,
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
  return excessOf(aggregations, countsOf);
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
function excessOf(
  aggregations: readonly Aggregation[],
  countsOf: (aggregation: Aggregation) => BucketCounts,
): Excess | undefined {
  let buckets = 0;
  const find = (level: readonly Aggregation[], bucketCount: number, placementCount: number): Excess | undefined => {
    for (const each of level) {
      const counts = countsOf(each);
      const inside = bucketCount * counts.buckets;
      const placements = placementCount * counts.placements;
      buckets += inside;
      if (buckets > MAX_BUCKETS || placements > MAX_PLACEMENTS) return { path: each.path };
      const excess = find(each.aggregations, inside, placements);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return find(aggregations, 1, 1);
}
