import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import { randomAggregations } from './randomAggregations.js';
import { randomHighlight } from './randomHighlight.js';
import type { RandomMapping } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { randomSort } from './randomSort.js';
import { randomText } from './randomValue.js';
import { RequestContext } from './RequestContext.js';

/** A whole request: a query with any of the other keys of query-language.md section 1. */
export function randomSearch(mapping: RandomMapping, chance: Chance): JsonObject {
  // One request in eight may ask for what does not fit or is not there.
  const context = new RequestContext(chance, mapping, chance.percent(12) ? 15 : 0);
  if (chance.percent(2)) return brokenSearch(context);
  const aggs = chance.percent(40)
    ? { [chance.of(['aggs', 'aggregations'])]: randomAggregations(context, 2) }
    : {};
  const sort = chance.percent(45) ? randomSort(context) : undefined;
  return {
    ...chance.options<JsonValue>({
      query: [88, () => randomQuery(context, 2)],
      filter: [8, () => randomQuery(context, 1)],
    }),
    ...page(context, sort),
    ...aggs,
    ...chance.options<JsonValue>({
      _source: [20, () => sourceFilter(chance)],
      post_filter: [8, () => randomQuery(context, 1)],
      min_score: [5, () => chance.of([0.2, 1, 1.5])],
      highlight: [15, () => randomHighlight(context)],
      version: [5, () => true],
      track_scores: [8, () => true],
      track_total_hits: [3, () => chance.of([true, false, 5])],
    }),
  };
}

/** Most requests ask for all hits, as only whole answers can be compared hit by hit under equal scores. */
function page(context: RequestContext, sort: readonly JsonValue[] | undefined): JsonObject {
  const { chance } = context;
  const all: JsonObject = { size: 100 };
  const parts = sort === undefined ? {} : { sort };
  if (chance.percent(70)) return { ...all, ...parts };
  if (sort !== undefined && chance.percent(40)) {
    const after = sort.map((each) =>
      JSON.stringify(each).includes('_id')
        ? `d${chance.below(60)}`
        : chance.of<JsonValue>([3, 'b', 1.5, 1_680_000_000_000, true]),
    );
    return { ...all, ...parts, search_after: after };
  }
  return { ...parts, from: chance.of([0, 0, 3, 10, '2']), size: chance.of([0, 1, 5, 12, '7']) };
}

function sourceFilter(chance: Chance): JsonValue {
  return chance.of<JsonValue>([
    true, false, 'text', ['text*', 'long'], ['items.*'], { includes: ['*'], excludes: ['text*'] }, { include: 'items', exclude: ['items.keyword'] }, [], ['*.keyword'], { excludes: ['items.parts', 'object'] },
    'object.*', { includes: ['items.k*', 'dyn*'] }, '*o*',
  ]); // prettier-ignore
}

/** Requests that no engine should take, or that look so. */
function brokenSearch(context: RequestContext): JsonObject {
  const { chance } = context;
  const deep = (levels: number): JsonObject => (levels === 0 ? { match_all: {} } : { bool: { must: [deep(levels - 1)] } });
  return chance.of<() => JsonObject>([
    () => ({ query: { nothing: {} } }),
    () => ({ query: { term: { text: ['a'] } } }),
    () => ({ query: { match: { text: {} } } }),
    () => ({ query: { range: { long: { near: 5 } } } }),
    () => ({ query: { bool: { maybe: [] } } }),
    () => ({ query: deep(chance.of([20, 29, 31, 60])) }),
    () => ({ from: -1 }),
    () => ({ size: 'many' }),
    () => ({ from: 9_999, size: 2 }),
    () => ({ sort: [{ nowhere: 'asc' }] }),
    () => ({ sort: [{ long: 'up' }] }),
    () => ({ aggs: { a: {} } }),
    () => ({ aggs: { a: { sum: {} } } }),
    () => ({ aggs: { 'a>b': { sum: { field: 'long' } } } }),
    () => ({ aggs: { a: { sum: { field: 'keyword' } } } }),
    () => ({ query: { match_all: {} }, extra: 1 }),
    () => ({ search_after: [1] }),
    () => ({ query: { fuzzy: { text: { value: 'mill', fuzziness: 5 } } } }),
    () => ({ query: { wildcard: { long: '1*' } } }),
    () => ({ query: { ids: { values: [{}] } } }),
    () => ({ highlight: { fields: { text: { colour: 1 } } } }),
    () => ({ query: { query_string: { query: randomText(chance), fields: 5 } } }),
    () => ({ _source: 5 }),
    () => ({ min_score: 'x' }),
  ])();
} // prettier-ignore
