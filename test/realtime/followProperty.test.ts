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
import {
  FOLLOWED_IDS,
  FOLLOWED_PROPERTIES,
  randomFollowedDocument,
  randomFollowedSearch,
} from './randomFollowedSearch.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 39);
const WRITES = Number(process.env['MILLRACE_TEST_FOLLOW_WRITES'] ?? 150);
const SEARCHES = 24;
const WRITES_TO_REST = 10;
/** As often another search takes the place of one. */
const WRITES_TO_REPLACE = 20;
const TIME_LIMIT_MS = Math.max(600_000, 500 * WRITES);
const AT = { index: 'city', collection: 'stations' };
interface Followed {
  readonly search: JsonObject;
  readonly mode: string;
  readonly channel: string;
  known: WireResult;
}

describe('followed searches', () => {
  const protocol = new MemoryProtocol();
  let server: StartedKernel;
  let client: MemoryClient;
  let readCount = 0;
  let deltaCount = 0;

  beforeAll(async () => {
    server = await startKernel({ plugins: [protocol.plugin] });
    await server.kernel.start();
    client = protocol.connect();
    await ask({
      controller: 'collection',
      action: 'create',
      ...AT,
      body: { properties: FOLLOWED_PROPERTIES },
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
      deltaCount += 1;
    }
    readCount = client.received.length;
  } // prettier-ignore

  /** What the followed search has now: hits of the same place in the order are sorted by `_id`. */
  async function current({ search, mode }: Followed): Promise<JsonObject> {
    const { sort } = search;
    const byId = [...(sort === undefined ? ['_score'] : (sort as JsonValue[])), '_id'];
    const isSame = mode === 'rerun' ? search : { ...search, sort: byId };
    const body = { ...isSame, version: true };
    const { hits, total, aggregations = null } = await ask({ controller: 'document', action: 'search', ...AT, body });
    if (mode === 'rerun') return { hits, total, aggregations } as unknown as JsonObject;
    const shown = (hits as (JsonObject & { sort: readonly JsonValue[] })[]).map(({ sort: values, ...hit }) =>
      sort === undefined ? hit : { ...hit, sort: values.slice(0, -1) },
    );
    return { hits: shown, total, aggregations } as unknown as JsonObject;
  }

  it(
    `equal the search after each change (FOLLOW-2, FOLLOW-6, seed ${SEED})`,
    async () => {
      const chance = new Chance(SEED);
      const write = () => {
        const _id = chance.of(FOLLOWED_IDS);
        const silent = chance.percent(10);
        if (!chance.percent(25)) {
          const body = randomFollowedDocument(chance);
          return ask({
            controller: 'document',
            action: 'createOrReplace',
            ...AT,
            _id,
            body,
            silent,
          });
        }
        return ask({ controller: 'document', action: 'mDelete', ...AT, body: { ids: [_id] }, silent }).catch(
          () => undefined,
        );
      };
      for (let n = 0; n < 40; n++) await write();
      const all = new Map<string, Followed>();
      const modes = new Map<string, number>();
      const followAnother = async () => {
        const followed = await follow(randomFollowedSearch(chance));
        all.set(followed.channel, followed);
        modes.set(followed.mode, (modes.get(followed.mode) ?? 0) + 1);
      };
      const unfollow = async (followId: string) => {
        await client.request({ controller: 'realtime', action: 'unfollow', followId });
        all.delete(followId);
      };
      for (let n = 0; n < SEARCHES; n++) await followAnother();
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
            expect([n, JSON.stringify(followed.search), known]).toEqual([n, JSON.stringify(followed.search), expected]);
          };
          // A window whose hits beyond it are used up is searched again.
          await expect.poll(compare, { interval: 5 }).toBeUndefined();
        }
        if ((n + 1) % WRITES_TO_REPLACE > 0) continue;
        await unfollow(chance.of([...all.keys()]));
        await followAnother();
      }
      if (process.env['MILLRACE_TEST_SEED'] !== undefined) {
        console.log({ writes: WRITES, follows: Object.fromEntries(modes), deltas: deltaCount });
      }
      expect(modes.get('incremental')).toBeGreaterThan(SEARCHES / 3);
    },
    TIME_LIMIT_MS,
  );
});
