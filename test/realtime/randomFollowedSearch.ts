import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from '../differential/Chance.js';

/** Ids of the documents. */
export const FOLLOWED_IDS = Array.from({ length: 60 }, (_, n) => `s${n}`);
/** The mapping of the collection. */
export const FOLLOWED_PROPERTIES = {
  bikes: { type: 'integer' },
  load: { type: 'double' },
  district: { type: 'keyword' },
  opened: { type: 'date' },
  name: { type: 'text' },
  parts: { type: 'nested', properties: { kind: { type: 'keyword' }, count: { type: 'integer' } } },
};

const KINDS = ['red', 'blue', 'green', 'Äpfel'];

/** A document with values, lists, nulls and absent fields. */
export function randomFollowedDocument(chance: Chance): JsonObject {
  const value = (make: () => JsonValue): (() => JsonValue) => {
    return () => (chance.percent(15) ? chance.list(chance.below(4), make) : chance.percent(8) ? null : make());
  }; // prettier-ignore
  return chance.options<JsonValue>({
    bikes: [85, value(() => chance.below(6))],
    load: [70, value(() => chance.below(8) / 4)],
    district: [85, value(() => chance.of(KINDS))],
    opened: [60, value(() => `2026-0${1 + chance.below(9)}-1${chance.below(3)}`)],
    name: [60, value(() => `${chance.of(KINDS)} ${chance.of(KINDS)}`)],
    parts: [40, () => chance.list(chance.below(3), () => ({ kind: chance.of(KINDS), count: chance.below(5) }))],
  });
}

function randomQuery(chance: Chance, depth = 2): JsonObject {
  const leaves: (() => JsonObject)[] = [
    () => ({ range: { bikes: { gte: chance.below(4), lt: 3 + chance.below(4) } } }),
    () => ({ term: { district: chance.of(KINDS) } }),
    () => ({ terms: { district: chance.some(KINDS, 50) } }),
    () => ({ exists: { field: chance.of(Object.keys(FOLLOWED_PROPERTIES)) } }),
    () => ({ range: { opened: { gte: `2026-0${1 + chance.below(9)}-01` } } }),
    () => ({ constant_score: { filter: { match: { name: chance.of(KINDS) } } } }),
    () => ({ ids: { values: chance.some(FOLLOWED_IDS, 30) } }),
    () => ({ nested: { path: 'parts', query: { term: { 'parts.kind': chance.of(KINDS) } } } }),
    () => ({ match_all: {} }),
  ];
  if (depth === 0 || chance.percent(50)) return chance.of(leaves)();
  const some = () => chance.list(1 + chance.below(2), () => randomQuery(chance, depth - 1));
  const own = chance.of(['must_not', 'should', 'filter']);
  return { bool: { filter: some(), [own]: some() } };
}

function randomSort(chance: Chance): JsonValue {
  const order = () => chance.of(['asc', 'desc']);
  const missing = () => chance.of(['_first', '_last']);
  const mode = () => chance.of(['min', 'max']);
  const criteria: (() => JsonObject)[] = [
    () => ({ bikes: { order: order(), missing: chance.of<JsonValue>(['_first', '_last', 3]), mode: chance.of(['min', 'max', 'sum', 'avg', 'median']) } }),
    () => ({ load: { order: order(), missing: missing() } }),
    () => ({ district: { order: order(), missing: chance.of(['_first', '_last', 'c']), mode: mode() } }),
    () => ({ opened: { order: order(), missing: missing(), ...(chance.percent(50) && { format: 'yyyy/MM/dd' }) } }),
    () => ({ 'parts.count': { order: order(), mode: mode(), nested: { path: 'parts' } } }),
    () => ({ _id: order() }),
  ]; // prettier-ignore
  return chance.list(1 + chance.below(2), () => chance.of(criteria)());
}

function randomAggregations(chance: Chance, depth = 2): JsonObject {
  const kinds: (() => JsonObject)[] = [
    () => ({ terms: { field: chance.of(['district', 'bikes', 'load', 'opened']), size: chance.of([1, 2, 10]), order: chance.of([{ _key: 'asc' }, { _count: 'desc' }, { _key: 'desc' }]), min_doc_count: chance.of([1, 1, 3]) } }),
    () => ({ terms: { field: 'district', missing: 'none' } }),
    () => ({ histogram: { field: chance.of(['bikes', 'load']), interval: chance.of([1, 2, 0.5]), min_doc_count: chance.of([0, 1, 2]), ...(chance.percent(30) && { extended_bounds: { min: -2, max: 9 } }) } }),
    () => ({ date_histogram: { field: 'opened', calendar_interval: chance.of(['month', 'week']), min_doc_count: chance.of([0, 1]), ...(chance.percent(40) && { time_zone: 'Europe/Zurich' }) } }),
    () => ({ filter: randomQuery(chance, 0) }),
    () => ({ filters: { filters: chance.percent(50) ? { a: randomQuery(chance, 0), b: randomQuery(chance, 0) } : [randomQuery(chance, 0)], other_bucket: chance.percent(50) } }),
    () => ({ range: { field: 'bikes', keyed: chance.percent(50), ranges: [{ to: 2 }, { from: 1, to: 4 }, { from: 3 }] } }),
    () => ({ date_range: { field: 'opened', ranges: [{ from: '2026-03-01', to: '2026-07-01' }] } }),
    () => ({ missing: { field: chance.of(['bikes', 'load', 'district', 'opened']) } }),
    () => ({ nested: { path: 'parts' }, aggs: { kinds: { terms: { field: 'parts.kind' }, aggs: { of: { reverse_nested: {} }, n: { sum: { field: 'parts.count' } } } } } }),
  ];
  const metrics: (() => JsonObject)[] = [
    () => ({ [chance.of(['value_count', 'min', 'max'])]: { field: chance.of(['bikes', 'load', 'opened']) } }),
    () => ({ [chance.of(['sum', 'avg', 'stats'])]: { field: 'bikes', ...(chance.percent(30) && { missing: 2 }) } }),
    () => ({ value_count: { field: 'district' } }),
    () => ({ cardinality: { field: chance.of(['district', 'bikes', 'load', 'opened']), ...(chance.percent(30) && { precision_threshold: 10 }) } }),
    () => ({ percentiles: { field: 'bikes' } }),
  ];
  const count = 1 + chance.below(2);
  const entries = chance.list(count, (n): [string, JsonObject] => {
    if (depth === 0 || chance.percent(35)) return [`m${n}`, chance.of(chance.percent(95) ? metrics.slice(0, 4) : metrics)()];
    const own = chance.of(kinds)();
    const isOpen = !('aggs' in own) && chance.percent(60);
    return [`b${n}`, { ...own, ...(isOpen && { aggs: randomAggregations(chance, depth - 1) }), ...(chance.percent(10) && { meta: { n } }) }];
  });
  return Object.fromEntries(entries);
} // prettier-ignore

/** A search that `realtime.follow` accepts: most can be kept up to date from each change. */
export function randomFollowedSearch(chance: Chance): JsonObject {
  const isSorted = chance.percent(85);
  const source = chance.of<JsonValue>([true, true, false, ['bikes', 'parts.k*'], { excludes: ['name'] }]);
  return {
    // Without a sort, a query that gives all documents the same score.
    query: isSorted ? randomQuery(chance) : chance.of([{ terms: { district: KINDS } }, { match_all: {} }]),
    ...(isSorted ? { sort: randomSort(chance) } : { sort: undefined }),
    ...(chance.percent(30) && { filter: randomQuery(chance, 0) }),
    ...(chance.percent(60) && { aggs: randomAggregations(chance) }),
    size: chance.of([0, 1, 3, 8, 30]),
    from: chance.of([0, 0, 0, 2, 7]),
    _source: source,
  } as JsonObject;
}
