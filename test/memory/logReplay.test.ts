import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EmbeddedEngine } from '@millrace/memory-store';
import { Chance } from '../differential/Chance.js';
import { embeddedEngine, openMemoryStore } from './openMemoryStore.js';
import { randomCommand } from './randomCommand.js';

/** All keys with their bytes and the time they expire. */
async function contentOf(engine: EmbeddedEngine): Promise<Record<string, unknown>> {
  const keys = (await engine.run(['KEYS', '*'])) as string[];
  const entries = keys.sort().map((key): [string, unknown] => {
    const bytes = engine.run(['DUMP', key]) as Uint8Array;
    return [key, [Buffer.from(bytes).toString('base64'), engine.run(['PEXPIRETIME', key])]];
  });
  return Object.fromEntries(entries);
}

describe('the log of the embedded engine', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'gives back exactly what random commands made (seed %i)',
    async (seed) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'millrace-replay-'));
      const chance = new Chance(seed);
      // Odd seeds rewrite the log all the time.
      const minRewriteBytes = seed % 2 === 1 ? 20_000 : 1e9;
      let engine = embeddedEngine({ dataDir, minRewriteBytes });
      let store = await openMemoryStore(engine);
      for (let round = 0; round < 4; round++) {
        for (let at = 0; at < 1500; at++) {
          const { action, fields } = randomCommand(chance);
          if (chance.percent(2)) await store.outcome('spop', { _id: 'k1' });
          if (chance.percent(1)) await store.outcome('multi', {}, 'test');
          await store.outcome(action, fields);
          if (chance.percent(2)) await store.outcome('exec', {}, 'test');
          if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await store.outcome('discard', {}, 'test');
        const before = await contentOf(engine);
        expect(Object.keys(before).length).toBeGreaterThan(3);
        await store.close();
        engine = embeddedEngine({ dataDir, minRewriteBytes });
        store = await openMemoryStore(engine);
        expect(await contentOf(engine)).toEqual(before);
      }
      await store.close();
      await rm(dataDir, { recursive: true });
    },
    60_000,
  );
});
