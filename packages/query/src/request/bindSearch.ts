import { MAX_BUCKETS } from '../MAX_BUCKETS.js';
import { aggregationKind } from '../aggregations/AGGREGATION_KINDS.js';
import { checkSearchAfter } from '../coerce/checkSortValue.js';
import { excessOfSearch, type Excess } from '../cost/measureWork.js';
import { QueryError } from '../errors.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Aggregation } from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import type { BoundQuery } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import { bindShownFields, bindView, type ShownFields } from '../kinds/bindView.js';
import { narrowFields } from '../view/narrowFields.js';
import type { Binding } from '../kinds/Binding.js';
import { bindHighlight } from '../kinds/bindHighlight.js';
import { bindPart } from '../kinds/bindQuery.js';
import { bindSort } from '../kinds/bindSort.js';

/*
 * Binds a whole request: everything that depends on the mapping. It runs before the engine, so both engines refuse the
 * same requests. An unmapped field matches nothing and is not an error, except in a sort.
 */

/** A search bound to a mapping. */
export interface BoundSearch extends SearchRequest<BoundQuery> {
  /** The combinatorial part of the request, if it has one. */
  readonly excess: Excess | undefined;
  readonly aggregations: readonly BoundAggregation[];
  /** Matches the documents of the view; absent: every document. */
  readonly within?: BoundQuery;
  /** The fields that documents in the result show; absent: all. */
  readonly shown?: ShownFields;
}

/**
 * Binds a search to a mapping.
 * @param nowMs the request's `now`
 * @throws QueryError if it doesn't fit the mapping, returns too many buckets or can't be interrupted
 */
export function bindSearch(request: SearchRequest, compiled: CompiledMapping, nowMs = 0): BoundSearch {
  const { query, postFilter, sort, aggregations, highlight, searchAfter, view, ...rest } = request;
  const visible = view === undefined ? compiled : narrowFields(compiled, view.fields);
  const isNarrowed = visible !== compiled;
  const binding: Binding = { compiled: visible, nowMs, costs: [], isNarrowed };
  const within = view && bindView(view, compiled, nowMs);
  const shown = view && bindShownFields(view, compiled, nowMs);
  assertBuckets(aggregations);
  searchAfter?.forEach((value, at) => {
    const by = sort?.[at];
    if (by !== undefined) checkSearchAfter(by, value, visible, { path: `search_after[${at}]`, nowMs });
  });
  const bound = {
    ...rest,
    query: bindPart(query, binding, undefined),
    ...(postFilter && { postFilter: bindPart(postFilter, binding, undefined) }),
    ...(sort && { sort: sort.map((each) => bindSort(each, binding, true)) }),
    aggregations: aggregations.map((each) => bindAggregation(each, binding)),
    ...(highlight && { highlight: bindHighlight(highlight, binding, undefined) }),
    ...(searchAfter && { searchAfter }),
    ...(within && { within }),
    ...(shown && { shown }),
  };
  const excess = excessOfSearch(bound, binding.costs, (each) => aggregationKind(each).counts(each));
  return { ...bound, excess };
}

/**
 * Binds an aggregation and those in it.
 * @param nestedDepth number of enclosing `nested` aggregations
 * @param nestedPath the nested field whose objects are aggregated
 * @throws QueryError
 */
function bindAggregation(
  aggregation: Aggregation,
  binding: Binding,
  nestedDepth = 0,
  nestedPath?: string,
): BoundAggregation {
  const inside = pathInside(aggregation, binding, nestedPath);
  const depth = nestedDepth + (aggregation.kind === 'nested' ? 1 : 0);
  const bound = aggregationKind(aggregation).bind(aggregation, { binding, nestedDepth, nestedPath });
  const aggregations = aggregation.aggregations.map((child) => bindAggregation(child, binding, depth, inside));
  return { ...bound, aggregations };
}

/** The nested field whose objects the children of an aggregation aggregate; undefined: documents. */
function pathInside(
  aggregation: Aggregation,
  { compiled }: Binding,
  nestedPath: string | undefined,
): string | undefined {
  switch (aggregation.kind) {
    case 'nested':
      // An unmapped path doesn't change the scope of the children.
      return compiled.objects.has(aggregation.nestedPath) ? aggregation.nestedPath : nestedPath;
    case 'reverse_nested':
      return aggregation.nestedPath;
    case 'global':
      return undefined;
    default:
      return nestedPath;
  }
}

/**
 * Refuses aggregations that return too many buckets whatever the data are: nested ranges are all returned, full or
 * empty. The request is refused before documents are counted.
 * @throws QueryError
 */
function assertBuckets(aggregations: readonly Aggregation[]): void {
  let total = 0;
  const add = (level: readonly Aggregation[], aroundCount: number): void => {
    for (const aggregation of level) {
      const count = aroundCount * aggregationKind(aggregation).counts(aggregation).certain;
      total += count;
      if (total > MAX_BUCKETS) {
        const what = `The aggregations give more than ${MAX_BUCKETS} buckets (at ${aggregation.path})`;
        throw new QueryError('invalid', aggregation.path, `${what}: ask for fewer`);
      }
      if (count > 0) add(aggregation.aggregations, count);
    }
  };
  add(aggregations, 1);
}
