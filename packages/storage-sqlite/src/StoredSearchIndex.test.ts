import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMapping, parseSearch } from '@millrace/query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './openDatabase.js';
import { StoredIndexes } from './search/stored/StoredIndexes.js';
import { createSqliteEngine, type SqliteEngine } from './SqliteEngine.js';

/** Enough documents for an index to be stored. */
const COUNT = 21_000;
const NAME = { index: 'library', collection: 'books' };
const MAPPING = parseMapping({ properties: { n: { type: 'integer' }, tag: { type: 'keyword' } } });

let dataDir: string;
let engine: SqliteEngine;

async function open(): Promise<void> {
  engine = createSqliteEngine({ dataDir });
  await engine.start();
}

async function restart(): Promise<void> {
  await engine.stop();
  await open();
}

async function put(from: number, to: number, tag = 'old'): Promise<void> {
  const operations = Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    return { ...NAME, id: `d${n}`, kind: 'put', source: { n, tag }, condition: 'any' } as const;
  });
  await engine.write(operations, false);
}

async function remove(...ids: readonly string[]): Promise<void> {
  await engine.write(
    ids.map((id) => ({ ...NAME, id, kind: 'delete', condition: 'present' }) as const),
    false,
  );
}

async function idsWhere(query: Record<string, unknown>): Promise<readonly string[]> {
  const request = parseSearch({ query: query as never, size: 100, sort: ['n'] });
  return (await engine.search(NAME, request)).hits.map(({ id }) => id);
}

async function count(): Promise<number> {
  return (await engine.search(NAME, parseSearch({ size: 0 }))).total;
}

/**
 * Number of slots in the file that the database names; undefined if the file can't be used. Call it while no write is
 * running.
 */
function storedSlots(): number | undefined {
  const file = join(dataDir, 'millrace.db');
  const database = openDatabase(file, { readOnly: true });
  try {
    return new StoredIndexes(database, `${file}-index`).load(1)?.slotCount;
  } finally {
    database.close();
  }
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-stored-'));
  await open();
  await engine.createCollection(NAME, MAPPING);
  await put(0, COUNT);
});
afterEach(async () => {
  await engine.stop();
  rmSync(dataDir, { recursive: true });
});

describe('the stored search index', () => {
  it('is there after a stop, and follows changes of processes that never searched', async () => {
    expect(await count()).toBe(COUNT);
    await restart();
    expect(storedSlots()).toBe(COUNT);
    // The highest row is deleted: its number must not be reused, because the stored index contains it.
    await remove('d1', `d${COUNT - 1}`);
    await restart();
    await put(COUNT - 1, COUNT, 'again');
    await put(5, 6, 'new');
    await restart();
    expect(storedSlots()).toBe(COUNT);
    expect(await idsWhere({ term: { tag: 'new' } })).toEqual(['d5']);
    expect(await idsWhere({ term: { tag: 'again' } })).toEqual([`d${COUNT - 1}`]);
    expect(await idsWhere({ range: { n: { lte: 2 } } })).toEqual(['d0', 'd2']);
    expect(await count()).toBe(COUNT - 1);
  });

  it('is stored in idle time, and good in a copy made while the process lives', async () => {
    expect(await count()).toBe(COUNT);
    await expect.poll(() => storedSlots(), { timeout: 20_000, interval: 200 }).toBe(COUNT);
    // An open reader keeps SQLite from emptying the log during the copy.
    const reader = openDatabase(join(dataDir, 'millrace.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM collections').get();
    await put(7, 8, 'new');
    await remove('d9');
    expect(await idsWhere({ term: { tag: 'new' } })).toEqual(['d7']);
    const copy = mkdtempSync(join(tmpdir(), 'millrace-crashed-'));
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    reader.exec('COMMIT');
    reader.close();
    await engine.stop();
    rmSync(dataDir, { recursive: true });
    dataDir = copy;
    await open();
    expect(await idsWhere({ range: { n: { gte: 6, lte: 10 } } })).toEqual(['d6', 'd7', 'd8', 'd10']);
    expect(await idsWhere({ term: { tag: 'new' } })).toEqual(['d7']);
  });

  it('a damaged file is left alone, and the index rebuilt', async () => {
    expect(await count()).toBe(COUNT);
    await engine.stop();
    const folder = join(dataDir, 'millrace.db-index');
    const [name] = readdirSync(folder);
    const bytes = readFileSync(join(folder, name as string));
    bytes[bytes.length >>> 1] = (bytes[bytes.length >>> 1] as number) ^ 1;
    writeFileSync(join(folder, name as string), bytes);
    await open();
    expect(storedSlots()).toBeUndefined();
    expect(await count()).toBe(COUNT);
    expect(await idsWhere({ range: { n: { lt: 2 } } })).toEqual(['d0', 'd1']);
  });

  it.skipIf(process.platform === 'win32')(
    'can be read by the owner of the process alone',
    async () => {
      expect(await count()).toBe(COUNT);
      // The umask of this process is unchanged: the engine sets the permissions itself.
      const names = readdirSync(dataDir).filter((name) => name.startsWith('millrace.'));
      expect(names).toContain('millrace.db-wal');
      for (const name of names) {
        expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
      }
      await engine.stop();
      const folder = join(dataDir, 'millrace.db-index');
      const [name = ''] = readdirSync(folder);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      await open();
    },
    30_000,
  );

  it('goes with its collection', async () => {
    expect(await count()).toBe(COUNT);
    await restart();
    await engine.truncate(NAME);
    expect(await count()).toBe(0);
    await restart();
    expect(readdirSync(join(dataDir, 'millrace.db-index'))).toEqual([]);
    await put(0, 3);
    expect(await count()).toBe(3);
  });

  it('goes with its collection, also before the first search after a start', async () => {
    expect(await count()).toBe(COUNT);
    await restart();
    expect(readdirSync(join(dataDir, 'millrace.db-index'))).toHaveLength(1);
    await engine.truncate(NAME);
    await expect.poll(() => readdirSync(join(dataDir, 'millrace.db-index'))).toEqual([]);
  });

  it('is made without a search, once an import has paused', async () => {
    await expect.poll(() => storedSlots(), { timeout: 20_000, interval: 200 }).toBe(COUNT);
  });
});
