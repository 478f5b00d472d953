import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '@millrace/kernel';
import { Chance } from '../differential/Chance.js';
import { embeddedEngine, openMemoryStore, redisEngine, type OpenMemoryStore } from './openMemoryStore.js';
import { randomCommand, type Comparison, type RandomCommand } from './randomCommand.js';
import { hasRedis, startRedis, type StartedRedis } from './startRedis.js';

const COMMAND_COUNT = Number(process.env['MILLRACE_TEST_MEMORY_COMMANDS'] ?? '50000');
const SEED = Number(process.env['MILLRACE_TEST_MEMORY_SEED'] ?? '1');
const ROUND = 250;

/** Without what the two may differ in. */
function normal(result: JsonValue, comparison: Comparison): JsonValue {
  switch (comparison) {
    case 'exact':
      return result;
    case 'unordered':
      if (Array.isArray(result)) return (result as JsonValue[]).map((each) => JSON.stringify(each)).sort();
      return isJsonObject(result) ? Object.entries(result).map(String).sort() : result;
    case 'nearSeconds':
    case 'nearMs':
      return typeof result === 'number' && result > 0 ? 'some time' : result;
    case 'kind':
      return result === null ? null : typeof result;
  }
}

/** Times of the same moment, asked for one after the other, are within two seconds. */
function isNear(left: JsonValue | undefined, right: JsonValue | undefined, comparison: Comparison) {
  const toleranceBy: Partial<Record<Comparison, number>> = { nearSeconds: 2, nearMs: 2_000 };
  const tolerance = toleranceBy[comparison];
  if (tolerance === undefined || typeof left !== 'number' || typeof right !== 'number') return true;
  return Math.abs(left - right) <= tolerance;
}

describe.skipIf(!hasRedis())('the embedded engine compared with Redis', () => {
  let server: StartedRedis;
  let [redis, embedded]: [OpenMemoryStore | undefined, OpenMemoryStore | undefined] = [undefined, undefined];

  beforeAll(async () => {
    server = await startRedis();
    redis = await openMemoryStore(redisEngine(server.url));
    embedded = await openMemoryStore(embeddedEngine());
  });
  afterAll(async () => {
    await redis?.close();
    await embedded?.close();
    await server.close();
  });

  it('answers random commands alike', async () => {
    const differences: unknown[] = [];
    const counts = new Map<string, number>();
    for (let done = 0; done < COMMAND_COUNT; done += ROUND) {
      const chance = new Chance(SEED, done);
      const stores = [redis, embedded] as OpenMemoryStore[];
      await Promise.all(stores.map((store) => store.call('flushdb')));
      const commands: RandomCommand[] = chance.list(ROUND, () => randomCommand(chance));
      // One connection keeps their order, so that none needs to wait for the one before.
      const [expected = [], actual = []] = await Promise.all(
        stores.map((store) => Promise.all(commands.map(({ action, fields }) => store.outcome(action, fields)))),
      );
      for (const [at, { action, fields, comparison }] of commands.entries()) {
        const [right, own] = [expected[at] ?? null, actual[at] ?? null].map((each) =>
          JSON.stringify(normal(each, comparison)),
        );
        const isRefused = right?.startsWith('{"status"') ?? false;
        counts.set(
          `${action}${isRefused ? ' refused' : ''}`,
          (counts.get(`${action}${isRefused ? ' refused' : ''}`) ?? 0) + 1,
        );
        if (right === own && isNear(expected[at], actual[at], comparison)) continue;
        differences.push({ round: done, at, action, fields: JSON.stringify(fields), redis: right, embedded: own });
        // What follows in this round may differ because of this.
        break;
      }
    }
    if (process.env['MILLRACE_TEST_MEMORY_COUNTS'] !== undefined) console.log(counts);
    expect(differences.slice(0, 12)).toEqual([]);
  }, 240_000);
});
