import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { embeddedEngine } from '../memory/openMemoryStore.js';

/** Finding M6: the log is rewritten while large writes never cease. */

const MIB = 1_048_576;
const WRITERS = 32;
const MAX_WRITTEN_BYTES = 1_000 * MIB;
const REWRITES = 6;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-load-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('the log of the memory store under steady large writes', () => {
  it('is rewritten again and again', async () => {
    const engine = embeddedEngine({ dataDir, minRewriteBytes: 4 * MIB });
    await engine.start();
    const folder = join(dataDir, 'memory-store');
    const generation = () =>
      Math.max(0, ...readdirSync(folder).map((name) => Number(/^base-(\d+)\.log$/.exec(name)?.[1] ?? 0)));
    let writtenBytes = 0;
    const write = async (number: number) => {
      for (let at = 0; generation() < REWRITES && writtenBytes < MAX_WRITTEN_BYTES; at++) {
        const value = String.fromCharCode(97 + (at % 26)).repeat(200_000);
        await engine.run(['SET', `key-${number}`, value]);
        writtenBytes += value.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number)));
    expect(generation()).toBeGreaterThanOrEqual(REWRITES);
    await engine.stop();
  });
});
