/*
 * MILLRACE_TEST_FOLLOW_WRITES=10000 writes as many documents, MILLRACE_TEST_SEED gives other ones.
 *
 * Follows random searches, writes random documents, and compares the folded result with the search at each position: all
 * requests are made one after the other, so that the search after a write is the one at its position.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, RequestFields } from '@millrace/kernel';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { windowCheck } from '../../packages/realtime/src/follow/windowCheck.js';
import { Chance } from '../differential/Chance.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 39);
const WRITES = Number(process.env['MILLRACE_TEST_FOLLOW_WRITES'] ?? 150);
const SEARCHES = 24;
const WRITES_TO_REST = 10;
const TIME_LIMIT_MS = Math.max(600_000, 500 * WRITES);
const AT = { index: 'city', collection: 'stations' };
const IDS = Array.from({ length: 60 }, (_, n) => `s${n}`);
const PROPERTIES = {
  bikes: { type: 'integer' },
  load: { type: 'double' },
  district: { type: 'keyword' },
  opened: { type: 'date' },
  name: { type: 'text' },
  parts: { type: 'nested', properties: { kind: { type: 'keyword' }, count: { type: 'integer' } } },
};

interface Followed {
  readonly search: JsonObject;
  readonly mode: string;
  readonly channel: string;
  known: WireResult;
}

const KINDS = ['red', 'blue', 'green', 'Äpfel'];

function randomDocument(chance: Chance): JsonObject {
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
  }); // prettier-ignore
}

function randomQuery(chance: Chance, depth = 2): JsonObject {
  const leaves: (() => JsonObject)[] = [
    () => ({ range: { bikes: { gte: chance.below(4), lt: 3 + chance.below(4) } } }),
    () => ({ term: { district: chance.of(KINDS) } }),
    () => ({ terms: { district: chance.some(KINDS, 50) } }),
    () => ({ exists: { field: chance.of(Object.keys(PROPERTIES)) } }),
    () => ({ range: { opened: { gte: `2026-0${1 + chance.below(9)}-01` } } }),
    () => ({ constant_score: { filter: { match: { name: chance.of(KINDS) } } } }),
    () => ({ ids: { values: chance.some(IDS, 30) } }),
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
    () => ({ cardinality: { field: 'district' } }),
  ];
  const count = 1 + chance.below(2);
  const entries = chance.list(count, (n): [string, JsonObject] => {
    if (depth === 0 || chance.percent(35)) return [`m${n}`, chance.of(chance.percent(95) ? metrics.slice(0, 3) : metrics)()];
    const own = chance.of(kinds)();
    const isOpen = !('aggs' in own) && chance.percent(60);
    return [`b${n}`, { ...own, ...(isOpen && { aggs: randomAggregations(chance, depth - 1) }), ...(chance.percent(10) && { meta: { n } }) }];
  });
  return Object.fromEntries(entries);
} // prettier-ignore

function randomSearch(chance: Chance): JsonObject {
  const isSorted = chance.percent(85);
  const source = chance.of<JsonValue>([true, true, false, ['bikes', 'parts.k*'], { excludes: ['name'] }]); // prettier-ignore
  return {
    // Without a sort, a query that gives all documents the same score.
    query: isSorted
      ? randomQuery(chance)
      : chance.of([{ terms: { district: KINDS } }, { match_all: {} }]),
    ...(isSorted ? { sort: randomSort(chance) } : { sort: undefined }),
    ...(chance.percent(30) && { filter: randomQuery(chance, 0) }),
    ...(chance.percent(60) && { aggs: randomAggregations(chance) }),
    size: chance.of([0, 1, 3, 8, 30]),
    from: chance.of([0, 0, 0, 2, 7]),
    _source: source,
  } as JsonObject;
}

describe('followed searches', () => {
  const protocol = new MemoryProtocol();
  let server: StartedKernel;
  let client: MemoryClient;
  let readCount = 0;

  beforeAll(async () => {
    server = await startKernel({ plugins: [protocol.plugin] });
    await server.kernel.start();
    client = protocol.connect();
    await ask({
      controller: 'collection',
      action: 'create',
      ...AT,
      body: { properties: PROPERTIES },
    });
  });
  afterAll(() => server.close());

  async function ask(fields: RequestFields): Promise<JsonObject> {
    const { error, result } = await protocol.connect().request(fields);
    if (error !== null) throw new Error(JSON.stringify(error));
    return result as JsonObject;
  }

  async function follow(search: JsonObject, maxRateMs = 0): Promise<Followed> {
    const fields = { controller: 'realtime', action: 'follow', ...AT, body: search, maxRateMs };
    const { error, result } = await client.request(fields);
    if (error !== null) throw new Error(JSON.stringify([search, error]));
    const answer = result as unknown as WireResult & { channel: string; mode: string };
    client.channels.add(answer.channel);
    const { cursor, hits, total, aggregations = null } = answer;
    const known = { cursor, hits, total, aggregations };
    return { search, mode: answer.mode, channel: answer.channel, known };
  }

  /** Applies the deltas that have arrived. */
  function fold(all: ReadonlyMap<string, Followed>): void {
    for (const { channel, message } of client.received.slice(readCount)) {
      const followed = all.get(channel ?? '');
      if (followed === undefined || message.action !== 'followed') continue;
      const delta = message.result as unknown as Delta;
      expect(delta.base).toBe(followed.known.cursor);
      followed.known = foldDelta(followed.known, delta);
      const hits = followed.known.hits.map(({ _id, _version = 0 }) => ({ id: _id, version: _version }));
      expect(delta.check).toBe(windowCheck(hits));
    }
    readCount = client.received.length;
  } // prettier-ignore

  /** What the followed search has now: hits of the same place in the order are sorted by `_id`. */
  async function current({ search, mode }: Followed): Promise<JsonObject> {
    const { sort } = search;
    const byId = [...(sort === undefined ? ['_score'] : (sort as JsonValue[])), '_id'];
    const isSame = mode === 'rerun' ? search : { ...search, sort: byId };
    const body = { ...isSame, version: true };
    const { hits, total, aggregations = null } = await ask({ controller: 'document', action: 'search', ...AT, body }); // prettier-ignore
    if (mode === 'rerun') return { hits, total, aggregations } as unknown as JsonObject;
    const shown = (hits as (JsonObject & { sort: readonly JsonValue[] })[]).map(({ sort: values, ...hit }) =>
      sort === undefined ? hit : { ...hit, sort: values.slice(0, -1) },
    ); // prettier-ignore
    return { hits: shown, total, aggregations } as unknown as JsonObject;
  }

  it(
    `equal the search after each change (FOLLOW-2, FOLLOW-6, seed ${SEED})`,
    async () => {
      const chance = new Chance(SEED);
      const write = () => {
        const _id = chance.of(IDS);
        const silent = chance.percent(10);
        if (!chance.percent(25)) {
          const body = randomDocument(chance);
          return ask({
            controller: 'document',
            action: 'createOrReplace',
            ...AT,
            _id,
            body,
            silent,
          });
        }
        return ask({ controller: 'document', action: 'mDelete', ...AT, body: { ids: [_id] }, silent }).catch(() => undefined); // prettier-ignore
      };
      for (let n = 0; n < 40; n++) await write();
      const all = new Map<string, Followed>();
      const modes = new Map<string, number>();
      for (let n = 0; n < SEARCHES; n++) {
        const followed = await follow(randomSearch(chance));
        all.set(followed.channel, followed);
        modes.set(followed.mode, (modes.get(followed.mode) ?? 0) + 1);
      }
      for (let n = 0; n < WRITES; n++) {
        await write();
        // Searches that run again do so after a pause.
        const isAtRest = (n + 1) % WRITES_TO_REST === 0 || n + 1 === WRITES;
        for (const followed of all.values()) {
          if (followed.mode === 'rerun' && !isAtRest) continue;
          const { cursor: _position, ...expected } = { cursor: '', ...(await current(followed)) };
          const compare = () => {
            fold(all);
            const { cursor: _other, ...known } = followed.known;
            expect([n, JSON.stringify(followed.search), known]).toEqual([n, JSON.stringify(followed.search), expected]); // prettier-ignore
          };
          // A window whose hits beyond it are used up is searched again.
          await expect.poll(compare, { interval: 5 }).toBeUndefined();
        }
      }
      if (process.env['MILLRACE_TEST_SEED'] !== undefined) console.log(Object.fromEntries(modes));
      expect(modes.get('incremental')).toBeGreaterThan(SEARCHES / 3);
    },
    TIME_LIMIT_MS,
  );
});
