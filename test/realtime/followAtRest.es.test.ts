/*
 * Followed searches on Elasticsearch. Its searches have no position, so each of them runs again, and the folded results
 * are compared with the search once writes are at rest. MILLRACE_TEST_FOLLOW_WRITES and MILLRACE_TEST_SEED as for
 * followProperty.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, RequestFields } from '@millrace/kernel';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { windowCheck } from '../../packages/realtime/src/follow/windowCheck.js';
import { Chance } from '../differential/Chance.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';
import {
  FOLLOWED_IDS,
  FOLLOWED_PROPERTIES,
  randomFollowedDocument,
  randomFollowedSearch,
} from './randomFollowedSearch.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 39);
const WRITES = Number(process.env['MILLRACE_TEST_FOLLOW_WRITES'] ?? 150);
const BATCH = WRITES > 1_000 ? 250 : 25;
const SEARCHES = 12;
const TIME_LIMIT_MS = Math.max(300_000, 500 * WRITES);
/** A search that took seconds on a busy machine runs again after ten times as long (FOLLOW-9). */
const PATIENTLY = { interval: 20, timeout: 120_000 };
const AT = { index: 'city', collection: 'stations' };

interface Followed {
  readonly search: JsonObject;
  known: WireResult;
}

describe.skipIf(!hasElasticsearch())('followed searches on Elasticsearch', () => {
  const protocol = new MemoryProtocol();
  const elasticsearch = testConfig();
  let server: StartedKernel;
  let client: MemoryClient;
  let readCount = 0;
  let deltaCount = 0;

  beforeAll(async () => {
    const { node, prefix } = elasticsearch;
    const elasticsearchOptions = { node, prefix, requestTimeoutMs: 60_000 };
    const storage = { engine: 'elasticsearch', elasticsearch: elasticsearchOptions };
    server = await startKernel({ config: { storage }, plugins: [protocol.plugin] });
    client = protocol.connect();
    await ask({ controller: 'index', action: 'create', index: AT.index });
    await ask({
      controller: 'collection',
      action: 'create',
      ...AT,
      body: { properties: FOLLOWED_PROPERTIES },
    });
  });
  afterAll(async () => {
    await server.close();
    await discard(await startEngine(elasticsearch), elasticsearch);
  });

  async function ask(fields: RequestFields): Promise<JsonObject> {
    const { error, result } = await protocol.connect().request(fields);
    if (error !== null) throw new Error(JSON.stringify([fields, error]));
    return result as JsonObject;
  }

  function fold(all: ReadonlyMap<string, Followed>): void {
    for (const { channel, message } of client.received.slice(readCount)) {
      const followed = all.get(channel ?? '');
      if (followed === undefined || message.action !== 'followed') continue;
      const delta = message.result as unknown as Delta;
      expect(delta.base).toBe(followed.known.cursor);
      followed.known = foldDelta(followed.known, delta);
      const hits = followed.known.hits.map(({ _id, _version = 0 }) => ({
        id: _id,
        version: _version,
      }));
      expect(delta.check).toBe(windowCheck(hits));
      deltaCount += 1;
    }
    readCount = client.received.length;
  }

  /** Equal hits have no fixed order on Elasticsearch. */
  function randomSearch(chance: Chance): JsonObject {
    const search = randomFollowedSearch(chance);
    const { sort = ['_score'] } = search;
    return { ...search, sort: [...(sort as JsonValue[]), '_id'] };
  }

  it(
    `equal the search once writes are at rest (FOLLOW-2, FOLLOW-6, seed ${SEED})`,
    async () => {
      const chance = new Chance(SEED);
      const write = (_id: string) => {
        if (chance.percent(25))
          return ask({
            controller: 'document',
            action: 'mDelete',
            ...AT,
            body: { ids: [_id] },
          }).catch(() => undefined);
        const body = randomFollowedDocument(chance);
        return ask({ controller: 'document', action: 'createOrReplace', ...AT, _id, body });
      };
      /** Several at a time, one for each document. */
      const writeSome = async (count: number) => {
        for (let done = 0; done < count;) {
          const ids = chance.some(FOLLOWED_IDS, 20).slice(0, count - done);
          await Promise.all(ids.map(write));
          done += ids.length;
        }
      };
      const all = new Map<string, Followed>();
      let followCount = 0;
      const follow = async () => {
        const search = randomSearch(chance);
        const { error, result } = await client.request({
          controller: 'realtime',
          action: 'follow',
          ...AT,
          body: search,
        });
        if (error !== null) throw new Error(JSON.stringify([search, error]));
        const answer = result as unknown as WireResult & { channel: string; mode: string };
        expect(answer.mode).toBe('rerun');
        const { cursor, hits, total, aggregations = null } = answer;
        all.set(answer.channel, { search, known: { cursor, hits, total, aggregations } });
        followCount += 1;
      };
      await writeSome(40);
      for (let n = 0; n < SEARCHES; n++) await follow();
      for (let done = 0; done < WRITES; done += BATCH) {
        await writeSome(BATCH);
        await ask({ controller: 'index', action: 'refresh', index: AT.index });
        for (const followed of all.values()) {
          const body = { ...followed.search, version: true };
          const {
            hits,
            total,
            aggregations = null,
          } = await ask({ controller: 'document', action: 'search', ...AT, body });
          const expected = [done, followed.search, { hits, total, aggregations }];
          const compare = () => {
            fold(all);
            const { cursor: _position, ...known } = followed.known;
            expect([done, followed.search, known]).toEqual(expected);
          };
          await expect.poll(compare, PATIENTLY).toBeUndefined();
        }
        const [oldest] = all.keys();
        if (oldest !== undefined) {
          await client.request({ controller: 'realtime', action: 'unfollow', followId: oldest });
          all.delete(oldest);
        }
        await follow();
      }
      if (process.env['MILLRACE_TEST_SEED'] !== undefined)
        console.log({ writes: WRITES, follows: followCount, deltas: deltaCount });
      expect(deltaCount).toBeGreaterThan(WRITES / BATCH);
    },
    TIME_LIMIT_MS,
  );
});
