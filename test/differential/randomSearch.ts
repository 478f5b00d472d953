import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from './Chance.js';
import { isRankingPromised } from './isRankingPromised.js';
import { randomAggregations } from './randomAggregations.js';
import { randomHighlight } from './randomHighlight.js';
import type { RandomMapping } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { randomSort } from './randomSort.js';
import { RequestContext } from './RequestContext.js';

/** A search with any of the keys of a body. */
export function randomSearch(mapping: RandomMapping, chance: Chance): JsonObject {
  if (chance.percent(2)) return brokenSearch(chance);
  // One request in ten may name unknown fields and values that do not fit.
  const context = new RequestContext(chance, mapping, chance.percent(10) ? 12 : 0);
  const clauses = chance.options<JsonValue>({
    query: [88, () => randomQuery(context, 2)],
    filter: [8, () => randomQuery(context, 1)],
  });
  const hasSimpleScores = isRankingPromised(clauses['query'], mapping.body);
  return {
    ...clauses,
    ...(chance.percent(45) ? sortedPage(context) : { size: 100 }),
    ...chance.options<JsonValue>({
      [chance.of(['aggs', 'aggregations'])]: [40, () => randomAggregations(context, 2)],
      _source: [20, () => sourceFilter(chance)],
      post_filter: [8, () => randomQuery(context, 1)],
      min_score: [hasSimpleScores ? 8 : 0, () => chance.of([0.237, 0.613, 1.391])],
      highlight: [15, () => randomHighlight(context)],
      version: [5, () => true],
      track_scores: [8, () => true],
      track_total_hits: [3, () => chance.of([true, false, 5])],
    }),
  };
}

/** A total order, and mostly all hits. */
function sortedPage(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(15)) {
    const order = chance.of(['asc', 'desc']);
    return {
      size: 5,
      sort: [{ long: order }, { _id: order }],
      search_after: [chance.between(0, 6), `d${chance.below(60)}`],
    };
  }
  const sort = randomSort(context);
  return chance.percent(60)
    ? { sort, size: 100 }
    : { sort, from: chance.of([0, 0, 3, 10, '2']), size: chance.of([0, 1, 5, 12, '7']) };
}

function sourceFilter(chance: Chance): JsonValue {
  return chance.of<JsonValue>([
    true, false, 'text', ['text*', 'long'], ['items.*'], { includes: ['*'], excludes: ['text*'] }, { include: 'items', exclude: ['items.keyword'] }, ['*.keyword'], { excludes: ['items.parts', 'object'] },
  ]); // prettier-ignore
}

/** Requests that both engines must refuse. */
function brokenSearch(chance: Chance): JsonObject {
  const deep = (levels: number): JsonObject => (levels === 0 ? { match_all: {} } : { bool: { must: [deep(levels - 1)] } });
  return chance.of<JsonObject>([
    { query: { nothing: {} } },
    { query: { term: { text: ['a'] } } },
    { query: { match: { text: {} } } },
    { query: { range: { long: { near: 5 } } } },
    { query: { range: { long: { gte: 'mill' } } } },
    { query: { bool: { maybe: [] } } },
    { query: deep(60) },
    { query: { fuzzy: { text: { value: 'mill', fuzziness: 5 } } } },
    { query: { query_string: { query: '(mill' } } },
    { query: { script: { script: '1' } } },
    { from: -1 },
    { size: 'many' },
    { from: 9_999, size: 2 },
    { sort: [{ nowhere: 'asc' }] },
    { sort: [{ long: 'up' }] },
    { sort: ['text'] },
    { aggs: { a: {} } },
    { aggs: { a: { sum: { field: 'keyword' } } } },
    { aggs: { 'a>b': { sum: { field: 'long' } } } },
    { query: { match_all: {} }, extra: 1 },
    { search_after: [1] },
    { _source: 5 },
    { min_score: 'x' },
  ]);
} // prettier-ignore
