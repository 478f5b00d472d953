import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import type { EmbeddedEngine, EmbeddedEngineOptions } from '@millrace/memory-store';
import { embeddedEngine } from '../memory/openMemoryStore.js';

/** What a power failure leaves of the memory store's log, and whether the next start takes it (findings M4, H4). */

let root: string;
let lines: { facts: Record<string, unknown>; line: string }[];
let engines: EmbeddedEngine[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-log-'));
  lines = [];
  engines = [];
});
afterEach(async () => {
  for (const engine of engines) await engine.stop();
  rmSync(root, { recursive: true });
});

const folderOf = (name: string) => join(root, name, 'memory-store');
const changesOf = (name: string, generation = 0) => join(folderOf(name), `changes-${generation}.log`);

async function start(name: string, options: Partial<EmbeddedEngineOptions> = {}) {
  const take = (facts: object, line?: string) => void lines.push({ facts: { ...facts }, line: line ?? '' });
  const logger = { ...silentLogger, warn: take, error: take } as typeof silentLogger;
  const engine = embeddedEngine({ dataDir: join(root, name), logger, ...options });
  await engine.start();
  engines.push(engine);
  return engine;
}

/** A folder as a crash leaves it now: the files without the process. */
function crashTo(from: string, name: string): void {
  mkdirSync(folderOf(name), { recursive: true, mode: 0o700 });
  copyFileSync(changesOf(from), changesOf(name));
}

async function writeKeys(engine: EmbeddedEngine, first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at++) await engine.run(['SET', `key-${at}`, 'x'.repeat(100)]);
}

/** Waits until the operating system has everything that was written, synced or not. */
async function reachFile(path: string, bytes: number): Promise<void> {
  await expect.poll(() => statSync(path).size, { timeout: 20_000, interval: 2 }).toBeGreaterThanOrEqual(bytes);
}

/** What the head of a file says; see LogHead. */
function syncedPointOf(file: Buffer): number {
  return Math.max(file.readDoubleLE(512 + 8), file.readDoubleLE(1_024 + 8));
}

describe('the log of the memory store after a power failure', () => {
  it('starts where a file is torn and the next one is still empty', async () => {
    const engine = await start('a');
    await writeKeys(engine, 0, 20);
    await engine.stop();
    truncateSync(changesOf('a'), statSync(changesOf('a')).size - 5);
    // As the versions before wrote it: the mark and nothing else.
    writeFileSync(changesOf('a', 1), 'MSLOG-1\n');
    const again = await start('a');
    expect(again.run(['DBSIZE'])).toBe(19);
    await again.run(['SET', 'after', 'x']);
    await again.stop();
    const third = await start('a');
    expect(third.run(['DBSIZE'])).toBe(20);
  });

  it('reads files of the version before, whose torn end is cut', async () => {
    const engine = await start('a');
    await writeKeys(engine, 0, 20);
    await engine.stop();
    const records = readFileSync(changesOf('a')).subarray(4_096);
    writeFileSync(changesOf('a'), Buffer.concat([Buffer.from('MSLOG-1\n'), records.subarray(0, records.length - 5)]));
    const again = await start('a');
    expect(again.run(['DBSIZE'])).toBe(19);
    await again.run(['SET', 'after', 'x']);
    await again.stop();
    expect((await start('a')).run(['DBSIZE'])).toBe(20);
  });

  it('cuts a page of zeros behind the last sync, with good records behind it, and says what was cut', async () => {
    const engine = await start('a');
    let [synced, bytes] = [0, Buffer.alloc(0)];
    // Again where the sync of each second came between.
    for (let attempt = 0; attempt < 20 && (synced === 0 || syncedPointOf(bytes) > synced); attempt++) {
      await engine.run(['FLUSHDB']);
      await writeKeys(engine, 0, 20);
      await engine.flush();
      synced = statSync(changesOf('a')).size;
      await writeKeys(engine, 20, 200);
      await reachFile(changesOf('a'), synced + 200 * 100);
      crashTo('a', 'b');
      bytes = readFileSync(changesOf('b'));
    }
    bytes.fill(0, synced + 1_000, synced + 1_100);
    writeFileSync(changesOf('b'), bytes);
    const again = await start('b');
    const size = Number(again.run(['DBSIZE']));
    expect(size).toBeGreaterThanOrEqual(20);
    expect(size).toBeLessThan(40);
    expect(lines).toHaveLength(1);
    const [cut] = lines;
    expect(cut?.facts).toMatchObject({ path: changesOf('b') });
    const { offset, bytes: cutBytes } = cut?.facts as { offset: number; bytes: number };
    expect(offset).toBeGreaterThanOrEqual(synced);
    expect(offset + cutBytes).toBe(bytes.length);
    expect(cut?.line).toContain(`at byte ${offset}: ${cutBytes} bytes`);
    await again.run(['SET', 'after', 'x']);
    await again.stop();
    expect((await start('b')).run(['DBSIZE'])).toBe(size + 1);
  });

  it('refuses to start on damage before the last sync, whatever is behind it', async () => {
    const engine = await start('a');
    await writeKeys(engine, 0, 200);
    await engine.flush();
    crashTo('a', 'b');
    const whole = readFileSync(changesOf('b'));
    for (const damage of [
      (bytes: Buffer) => bytes.fill(0, 8_000, 8_100),
      // The length of a record: it now seems to end behind the file.
      (bytes: Buffer) => bytes.fill(0x1f, 4_099, 4_100),
    ]) {
      const bytes = Buffer.from(whole);
      damage(bytes);
      writeFileSync(changesOf('b'), bytes);
      await expect(start('b')).rejects.toThrow(/changes-0\.log" is damaged at byte \d+/);
    }
  });

  it('refuses to start on a torn file where a later one has records', async () => {
    const engine = await start('a');
    await writeKeys(engine, 0, 20);
    await engine.stop();
    copyFileSync(changesOf('a'), changesOf('a', 1));
    truncateSync(changesOf('a'), statSync(changesOf('a')).size - 5);
    await expect(start('a')).rejects.toThrow('changes-0.log" is damaged');
  });

  it.skipIf(process.platform === 'win32')(
    'writes files that only their owner can read, also under an open umask',
    async () => {
      const before = process.umask(0);
      try {
        const engine = await start('a');
        await writeKeys(engine, 0, 5);
        await engine.rewriteLog();
        await engine.flush();
      } finally {
        process.umask(before);
      }
      const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
      expect(modeOf(folderOf('a'))).toBe('700');
      expect(modeOf(changesOf('a', 1))).toBe('600');
      expect(modeOf(join(folderOf('a'), 'base-1.log'))).toBe('600');
    },
  );
});
