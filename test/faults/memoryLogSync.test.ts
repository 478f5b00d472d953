import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Findings M4 and M5 at the border to the operating system: which calls are made, in which order. */

const REASON = reasonToSkip();
if (REASON !== undefined) console.log(`memoryLogSync.test.ts is skipped: ${REASON}`);

function reasonToSkip(): string | undefined {
  const { error, status } = spawnSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' });
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? undefined : 'strace may not trace processes here';
}

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-strace-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Runs memoryLogWriter.mjs under strace. @returns the calls in order */
async function trace(flags: readonly string[], count: number, minRewriteBytes: number): Promise<string[]> {
  // prettier-ignore
  const output = join(dataDir, 'trace');
  const script = join(import.meta.dirname, 'memoryLogWriter.mjs');
  const child = spawn(
    'strace',
    [
      '-f',
      '-y',
      '-s',
      '4096',
      '-o',
      output,
      '-e',
      'trace=openat,close,pwrite64,write,fdatasync',
      ...flags,
      process.execPath,
      script,
      dataDir,
      String(count),
      String(minRewriteBytes),
    ],
    // One thread for files: their calls are traced in the order in which they are made.
    { env: { ...process.env, UV_THREADPOOL_SIZE: '1' }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect(code).toBe(0);
  return inOrderOfEnds(readFileSync(output, 'utf8').split('\n'));
}

/** One line per call: strace writes two where another thread makes a call in the meantime. */
function inOrderOfEnds(lines: readonly string[]): string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of lines) {
    const [thread = ''] = line.split(' ', 1);
    const [, beginning] = /^(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    const [, end] = /^\d+ +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    if (beginning !== undefined) begun.set(thread, beginning);
    else calls.push(end === undefined ? line : `${begun.get(thread) ?? ''}${end}`);
  }
  return calls;
}

const indexOf = (calls: readonly string[], pattern: RegExp, from = 0) =>
  calls.findIndex((call, at) => at >= from && pattern.test(call));

describe.skipIf(REASON !== undefined)('the log of the memory store under strace', () => {
  it('writes the bytes of a failed fdatasync again before it acknowledges them', async () => {
    // The first one is that of the new file, the second one that of the first key.
    const inject = ['-e', 'inject=fdatasync:error=EIO:when=2'];
    const calls = await trace(inject, 1, 1e9);
    const failed = indexOf(calls, /fdatasync.*EIO.*INJECTED/);
    expect(failed).toBeGreaterThan(0);
    expect(indexOf(calls, /pwrite64.*value-0-/)).toBeLessThan(failed);
    const again = indexOf(calls, /pwrite64.*value-0-/, failed);
    const synced = indexOf(calls, /fdatasync.*= 0/, failed);
    const acknowledged = indexOf(calls, /write\(.*acknowledged 0/);
    expect(again).toBeGreaterThan(failed);
    expect(synced).toBeGreaterThan(again);
    expect(acknowledged).toBeGreaterThan(synced);
  });

  it('syncs and closes a file before it creates the next one', async () => {
    const calls = await trace([], 200, 5_000);
    const creations = [...Array(50).keys()]
      .map((n) => indexOf(calls, new RegExp(`openat.*changes-${n + 1}\\.log.*O_CREAT`)))
      .filter((at) => at >= 0);
    expect(creations.length).toBeGreaterThan(1);
    for (const [n, created] of creations.entries()) {
      const isOfOld = (call: string) => call.includes(`changes-${n}.log>`);
      const lastWrite = calls.findLastIndex((call) => isOfOld(call) && call.includes('pwrite64'));
      const lastSync = calls.findLastIndex((call) => isOfOld(call) && /fdatasync.*= 0/.test(call));
      const closed = calls.findLastIndex((call) => isOfOld(call) && call.includes('close('));
      expect(lastSync).toBeGreaterThan(lastWrite);
      expect(closed).toBeGreaterThan(lastSync);
      expect(created).toBeGreaterThan(closed);
    }
  });
});
