import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Query } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import { addAggregationWork } from './addAggregationWork.js';
import { addHighlightWork, addQueryWork } from './addQueryWork.js';
import { addSortWork } from './addSortWork.js';
import { assertBuckets } from './assertBuckets.js';
import { WorkTally, type Excess } from './WorkTally.js';

/** What a search asks too much of; undefined for ordinary ones. @throws QueryError for what has no end */
export function measureWork(request: SearchRequest, compiled: CompiledMapping): Excess | undefined {
  const { query, postFilter, sort, aggregations, highlight, size } = request;
  assertBuckets(aggregations);
  const tally = new WorkTally();
  addQueryWork(query, { compiled, hitCount: size }, tally);
  const lookups = tally.amountOf('lookups');
  if (postFilter !== undefined) addQueryWork(postFilter, { compiled, hitCount: size }, tally);
  if (sort !== undefined) addSortWork(sort, compiled, tally);
  addAggregationWork(aggregations, { compiled, lookups, bucketCount: 1, placementCount: 1 }, tally);
  if (highlight !== undefined) {
    const marked = { compiled, hitCount: Math.max(1, size), lookups, path: 'highlight' };
    addHighlightWork(highlight, marked, tally);
  }
  return tally.excess;
}

/** As `measureWork`, for a query by itself. */
export function measureQueryWork(query: Query, compiled: CompiledMapping): Excess | undefined {
  const tally = new WorkTally();
  addQueryWork(query, { compiled, hitCount: 0 }, tally);
  return tally.excess;
}
