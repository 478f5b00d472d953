import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './openDatabase.js';
import type { SqliteDatabase } from './SqliteDatabase.js';
import { TurnSnapshot } from './TurnSnapshot.js';

describe('TurnSnapshot', () => {
  let directory: string;
  let writer: SqliteDatabase;
  let reader: SqliteDatabase;
  let snapshot: TurnSnapshot;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-snapshot-'));
    const file = join(directory, 'a.db');
    writer = openDatabase(file);
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(n INTEGER); INSERT INTO t VALUES (0)');
    reader = openDatabase(file, { readOnly: true });
    snapshot = new TurnSnapshot(reader);
  });
  afterEach(() => {
    snapshot.forget();
    reader.close();
    writer.close();
    rmSync(directory, { recursive: true });
  });

  const read = () => {
    snapshot.use();
    return reader.prepare('SELECT n FROM t').get()?.['n'];
  };
  const write = (n: number) => writer.prepare('UPDATE t SET n = ?').run(n);

  it('takes no transaction for the only read of a turn', async () => {
    for (const n of [1, 2]) {
      write(n);
      expect([read(), reader.isTransaction]).toEqual([n, false]);
      await nextTurn();
    }
  });

  it('shares one snapshot among the reads of a turn and lets it go with the turn', async () => {
    expect([read(), read()]).toEqual([0, 0]);
    write(1);
    expect([read(), reader.isTransaction]).toEqual([0, true]);
    await Promise.resolve();
    await nextTurn();
    expect(reader.isTransaction).toBe(false);
    expect(read()).toBe(1);
    // A held snapshot keeps SQLite from emptying the log.
    expect(writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']).toBe(0);
  });

  it('shows a commit once its callers are about to be answered, within the turn', () => {
    expect([read(), read()]).toEqual([0, 0]);
    write(1);
    snapshot.end();
    expect([read(), read()]).toEqual([1, 1]);
  });

  it('is a new one in each turn of the event loop, also for reads that follow promises', async () => {
    for (let n = 1; n <= 5; n++) {
      write(n);
      await Promise.resolve();
      expect([read(), read(), read()]).toEqual([n, n, n]);
      await nextTurn();
    }
  });

  it('lets nothing be read from a snapshot that did not end, until it has', async () => {
    let isFailing = true;
    const failing = {
      isTransaction: true,
      prepare: (sql: string) => ({
        run: () => {
          if (sql === 'COMMIT' && isFailing) throw new Error('disk gone');
          return { changes: 0 };
        },
      }),
    };
    const stuck = new TurnSnapshot(failing as unknown as SqliteDatabase);
    stuck.use();
    stuck.use();
    await nextTurn();
    for (let tries = 0; tries < 2; tries++) expect(() => stuck.use()).toThrow('disk gone');
    isFailing = false;
    stuck.use();
  });
});
