/*
 * Binds a whole request: everything that depends on the mapping. It runs before the engine, so both engines refuse the
 * same requests. An unmapped field matches nothing and is not an error, except in a sort.
 */
import { checkSearchAfter } from '../coerce/checkSortValue.js';
import { assertBuckets } from '../cost/assertBuckets.js';
import { excessOfSearch, type Excess } from '../cost/measureWork.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import type { BoundQuery } from '../tree/Query.js';
import type { SearchRequest } from '../tree/SearchRequest.js';
import { bindShownFields, type ShownFields } from '../view/bindShownFields.js';
import { bindView } from '../view/bindView.js';
import { narrowFields } from '../view/narrowFields.js';
import type { Binding } from './Binding.js';
import { bindAggregation } from './bindAggregation.js';
import { bindHighlight } from './bindHighlight.js';
import { bindPart } from './bindPart.js';
import { bindSort } from './bindSort.js';

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
  return { ...bound, excess: excessOfSearch(bound, binding.costs) };
}
