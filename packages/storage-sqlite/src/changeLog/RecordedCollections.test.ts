import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WriterThread } from '../writer/WriterThread.js';
import { DEFAULT_HISTORY } from '../writer/HistoryOptions.js';
import { RecordedCollections } from './RecordedCollections.js';

let directory: string;
let writer: WriterThread;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-recorded-'));
  writer = new WriterThread({
    databaseFile: join(directory, 'millrace.db'),
    history: DEFAULT_HISTORY,
    internalIndex: '',
    onFailure: () => expect.unreachable(),
    recover: () => [],
  });
  await writer.start();
});

afterEach(async () => {
  await writer.stop();
  rmSync(directory, { recursive: true });
});

describe('RecordedCollections', () => {
  it('forgets invented names that are not recorded any more (LOG-4)', async () => {
    const recorded = new RecordedCollections(writer, DEFAULT_HISTORY, '');
    const name = (n: number) => ({ index: 'invented', collection: `c${n}` });
    const kept = { index: 'shop', collection: 'things' };
    await recorded.cover(kept);
    for (let n = 0; n < 6_000; n++) {
      const covered = recorded.cover(name(n));
      // Some answers of the writer are seen in between.
      if (n % 500 === 0) await covered;
      recorded.release(name(n));
    }
    await writer.submit({ type: 'ping' });
    expect(recorded.possibleCount).toBeLessThan(5_000);
    await recorded.cover(name(0));
    recorded.release(name(0));
    await writer.submit({ type: 'ping' });
    expect(recorded.mayRecord(kept)).toBe(true);
    expect(recorded.mayRecord(name(5_999))).toBe(true);
    expect(recorded.mayRecord(name(100))).toBe(false);
  });
});
