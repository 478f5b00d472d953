import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger, type Logger, type WriteCondition } from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../openDatabase.js';
import { rowChecksum } from '../storedText.js';
import { SqliteEngine } from '../SqliteEngine.js';
import { flipIndexedId } from './flipIndexedId.test.support.js';

/* One flipped bit in the id index of a file that is not checked at start. */

const NAME = { index: 'fl', collection: 'c' };
const ID = 'd000777';
const COUNT = 38_000;
/** Larger than the files that are checked when they are opened. */
const MIN_BYTES = 32 * 1024 * 1024;

let dataDir: string;
let engine: SqliteEngine;
let lines: { readonly level: string; readonly fields: object; readonly message: string }[];

const log: Logger = {
  ...silentLogger,
  warn: (fields, message) => void lines.push({ level: 'warn', fields, message }),
  error: (fields, message) => void lines.push({ level: 'error', fields, message }),
};

const put = async (id: string, condition: WriteCondition) =>
  (await engine.write([{ ...NAME, kind: 'put', id, source: { new: true }, condition }], true))[0];

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}

function start(): Promise<void> {
  engine = new SqliteEngine({ dataDir, logger: log, integrityIntervalMs: 100 });
  return engine.start();
}

function change(sql: string, ...values: (string | number)[]): void {
  const database = openDatabase(join(dataDir, 'millrace.db'));
  database.prepare(sql).run(...values);
  database.close();
}

async function fill(count: number): Promise<void> {
  await start();
  await engine.createCollection(NAME, parseMapping({ dynamic: false }));
  const filler = 'x'.repeat(900);
  for (let n = 0; n < count; n += 2_000) {
    const operations = Array.from({ length: 2_000 }, (_, i) => ({
      ...NAME,
      kind: 'put' as const,
      id: `d${String(n + i).padStart(6, '0')}`,
      source: { filler },
      condition: 'any' as const,
    }));
    await engine.write(operations, false);
  }
  await engine.stop();
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-damage-'));
  lines = [];
});

afterEach(async () => {
  await engine.stop();
  rmSync(dataDir, { recursive: true });
});

describe('a damaged index of document ids in a large file', () => {
  beforeEach(async () => {
    await fill(COUNT);
    expect(statSync(join(dataDir, 'millrace.db')).size).toBeGreaterThan(MIN_BYTES);
    flipIndexedId(join(dataDir, 'millrace.db'), ID);
  });

  it('is found after the start and rebuilt, so that the document is read and no second one is created', async () => {
    await start();
    await until(() => lines.length === 2);
    expect(lines).toEqual([
      {
        level: 'error',
        fields: expect.objectContaining({
          ...NAME,
          problem: '1 document(s) without an entry in the index of ids',
          remedy: 'its index is being rebuilt',
        }) as object,
        message: 'the database is damaged',
      },
      {
        level: 'warn',
        fields: NAME,
        message: expect.stringContaining('was rebuilt') as string,
      },
    ]);
    expect(engine.health()).toEqual({ state: 'up' });
    expect(engine.read(NAME, ID)).toMatchObject({ id: ID, version: 1 });
    expect(await put(ID, 'absent')).toMatchObject({
      status: 'failed',
      error: { id: 'document.already_exists' },
    });
  });

  it('with two documents under one id refuses writes and unknown reads until one of them is deleted', async () => {
    // The row that a version without the check would have created.
    const json = '{"new":true}';
    change('INSERT INTO docs_1 VALUES(?, ?, 1, ?, ?)', 100_000, ID, rowChecksum(1, ID, json), json);
    await start();
    await until(() => lines.length === 1);
    expect(lines[0]?.fields).toMatchObject({ ...NAME, duplicates: [ID] });
    expect(engine.health()).toEqual({
      state: 'degraded',
      reason: 'the index of document ids of 1 collection(s) is damaged: their writes are refused',
    });
    expect(await put('d000001', 'any')).toMatchObject({
      status: 'failed',
      error: { id: 'storage.damaged_ids', status: 503 },
    });
    expect(() => engine.read(NAME, 'nothing')).toThrow(/is damaged/);
    expect(engine.read(NAME, 'd000001')).toMatchObject({ version: 1 });
    await engine.createCollection({ ...NAME, collection: 'other' }, parseMapping({}));

    const removed = { ...NAME, kind: 'delete' as const, id: ID, condition: 'present' as const };
    expect((await engine.write([removed], false))[0]).toMatchObject({ status: 'deleted' });
    await until(() => lines.length === 2);
    expect(lines[1]?.message).toContain('was rebuilt');
    expect(engine.health()).toEqual({ state: 'up' });
    expect(engine.read(NAME, ID)?.source).toHaveProperty('filler');
    expect(await engine.count(NAME, parseCount({}))).toBe(COUNT);
    expect(await put('d000001', 'present')).toMatchObject({ status: 'replaced' });
  });

  it('is not rebuilt from a row that is damaged itself', async () => {
    change('UPDATE docs_1 SET j = ? WHERE n = 5', '{}');
    await start();
    await until(() => lines.length === 1);
    expect(lines[0]?.fields).toMatchObject({
      damagedRows: ['d000004'],
      remedy: 'restore a backup',
    });
    expect(engine.health().state).toBe('degraded');
  });
});

describe('a damaged index of document ids in a small file', () => {
  it('is rebuilt while the file is opened', async () => {
    await fill(2_000);
    flipIndexedId(join(dataDir, 'millrace.db'), ID);
    await start();
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { problem: expect.stringContaining('in index sqlite_autoindex') as string },
        message: expect.stringContaining('was rebuilt') as string,
      },
    ]);
    expect(engine.read(NAME, ID)).toMatchObject({ version: 1 });
  });
});

describe('the check of the ids', () => {
  it('is abandoned when the engine stops, whatever it is at', async () => {
    await fill(2_000);
    for (let round = 0; round < 10; round += 1) {
      engine = new SqliteEngine({ dataDir, logger: log, integrityIntervalMs: 1 });
      await engine.start();
      await sleep(round * 5);
      await engine.stop();
    }
    expect(lines).toEqual([]);
  });
});
