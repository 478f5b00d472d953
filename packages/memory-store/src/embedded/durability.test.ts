import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedEngine } from './EmbeddedEngine.js';

const ROUNDS = Number(process.env['MILLRACE_TEST_KILL_ROUNDS'] ?? 3);

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-memory-kill-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Lets a process count for a while, kills it, and records what it had acknowledged. */
async function countAndKill(book: Map<number, number>, sync: string, lifeMs: number) {
  const script = join(import.meta.dirname, '../../dist/embedded/durability.test.child.js');
  const child = spawn(process.execPath, [script, dataDir, sync], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const drained = once(lines, 'close');
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [word, number, count] = line.split(' ');
      if (word === 'ready') resolve();
      else if (word === 'put') book.set(Number(number), Number(count));
    });
    child.once('exit', (code) => reject(new Error(`the process ended by itself, code ${code}`)));
  });
  await sleep(lifeMs);
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  await drained;
}

async function readBack(book: ReadonlyMap<number, number>) {
  const engine = new EmbeddedEngine({ dataDir, sync: 'everysec', maxMemory: 0, evictionPolicy: 'noeviction', maxValueBytes: 1_048_576 }); // prettier-ignore
  await engine.start();
  const lost: [number, number][] = [];
  for (const [number, acknowledged] of book) {
    const found = Number(engine.run(['GET', `counter-${number}`]));
    if (found < acknowledged) lost.push([number, acknowledged - found]);
    // A transaction is present as a whole or not at all.
    expect(engine.run(['LLEN', `list-${number}`])).toBe(Math.min(50, found));
  }
  await engine.stop();
  return lost;
}

describe('the embedded engine killed in the middle of writing and rewriting', () => {
  it('loses nothing acknowledged, and tears no transaction, with "always"', async () => {
    const book = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round++) {
      await countAndKill(book, 'always', 250 + 100 * (round % 4));
      expect(await readBack(book)).toEqual([]);
    }
    expect(book.size).toBe(16);
  });

  it('loses at most the last turn of the event loop, and tears no transaction, with "everysec"', async () => {
    const book = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round++) {
      await countAndKill(book, 'everysec', 250 + 100 * (round % 4));
      // Only a write that was being collected or written when the process died: far less than the promised second.
      for (const [, count] of await readBack(book)) expect(count).toBeLessThan(200);
      book.clear();
    }
  });
});
