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

/** By counter: when each step was acknowledged, in milliseconds of the process that counted last. */
type Book = Map<number, number[]>;

/** Lets a process count for a while, kills it, and records what it had acknowledged. */
async function countAndKill(book: Book, sync: string, lifeMs: number) {
  const script = join(import.meta.dirname, '../../dist/embedded/durability.test.child.js');
  const child = spawn(process.execPath, [script, dataDir, sync], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const drained = once(lines, 'close');
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [word, number, count, atMs] = line.split(' ');
      if (word === 'ready') resolve();
      else if (word === 'put') {
        const steps = book.get(Number(number)) ?? [];
        steps[Number(count) - 1] = Number(atMs);
        book.set(Number(number), steps);
      }
    });
    child.once('exit', (code) => reject(new Error(`the process ended by itself, code ${code}`)));
  });
  await sleep(lifeMs);
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  await drained;
}

/** @returns when the first lost step of each counter was acknowledged */
async function readBack(book: Book): Promise<number[]> {
  const engine = new EmbeddedEngine({
    dataDir,
    sync: 'everysec',
    maxMemory: 0,
    evictionPolicy: 'noeviction',
    maxValueBytes: 1_048_576,
  });
  await engine.start();
  const lost: number[] = [];
  for (const [number, steps] of book) {
    const found = Number(engine.run(['GET', `counter-${number}`]));
    // A step of an earlier process, which had been read back, has no time.
    if (found < steps.length) lost.push(steps[found] ?? -Infinity);
    // A transaction is present as a whole or not at all.
    expect(engine.run(['LLEN', `list-${number}`])).toBe(Math.min(50, found));
  }
  await engine.stop();
  return lost;
}

describe('the embedded engine killed in the middle of writing and rewriting', () => {
  it('loses nothing acknowledged, and tears no transaction, with "always"', async () => {
    const book: Book = new Map();
    for (let round = 0; round < ROUNDS; round++) {
      await countAndKill(book, 'always', 250 + 100 * (round % 4));
      expect(await readBack(book)).toEqual([]);
    }
    expect(book.size).toBe(16);
  });

  it('loses at most a second, and tears no transaction, with "everysec"', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const book: Book = new Map();
      await countAndKill(book, 'everysec', 1_500 + 250 * (round % 4));
      const lastMs = Math.max(...[...book.values()].map((steps) => steps.at(-1) ?? 0));
      for (const firstLostMs of await readBack(book)) {
        expect(lastMs - firstLostMs).toBeLessThan(1_000);
      }
    }
  });
});
