import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../openDatabase.js';
import type { WriterAnswer, WriterEntry } from '../writer/WriterEntry.js';
import { CONDITION } from '../writer/WriteCode.js';
import { WriterStore } from '../writer/WriterStore.js';
import { ChangeReader } from './ChangeReader.js';
import { DEFAULT_HISTORY, type HistoryOptions } from '../writer/HistoryOptions.js';

/*
 * The writer's side without its thread: time is given, and each housekeeping step is called.
 */

const NAME = { index: 'i', collection: 'c' };
const OTHER = { index: 'i', collection: 'o' };
const LIMITS = { maxChanges: 1_000_000, maxWeight: 1_000_000_000 };
const EPOCH = 'epoch000';

let directory: string;
let file: string;
let store: WriterStore;
let reader: ChangeReader;
let collectionNumber: number;
let otherNumber: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-trim-'));
  file = join(directory, 'millrace.db');
});

afterEach(async () => {
  await reader.close();
  store.close();
  rmSync(directory, { recursive: true });
});

function open(history: Partial<HistoryOptions>): void {
  store = new WriterStore({
    databaseFile: file,
    history: { ...DEFAULT_HISTORY, ...history },
    internalIndex: '',
    isFirst: true,
    marks: [],
    unknownNumbers: 0,
  });
  reader = new ChangeReader(file);
  collectionNumber = numberOf(apply({ type: 'createCollection', ...NAME, mapping: '{}' }));
  otherNumber = numberOf(apply({ type: 'createCollection', ...OTHER, mapping: '{}' }));
  for (const name of [NAME, OTHER]) apply({ type: 'cover', ...name, until: null });
}

function numberOf(answer: WriterAnswer | undefined): number {
  if (answer?.type !== 'done' || answer.collectionNumber === undefined) throw new Error(JSON.stringify(answer));
  return answer.collectionNumber;
}

function apply(entry: WriterEntry): WriterAnswer | undefined {
  const [answer] = store.apply([entry]).answers;
  if (answer?.type === 'failed') throw new Error(answer.reason);
  return answer;
}

/** @returns the position of the last change */
function write(number: number, ids: readonly string[], json: string | null = '{"n":1}'): number {
  apply({
    type: 'write',
    collectionNumbers: ids.map(() => number),
    ids: [...ids],
    jsons: ids.map(() => json),
    conditions: ids.map(() => CONDITION.any),
    stamps: [''],
    stampStarts: [0],
    origins: [''],
    originStarts: [0],
  });
  return store.log.seq;
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `d${i}`);

async function replay(seq: number, name = NAME): Promise<number | string> {
  const result = await reader.changesAfter({ name, seq, limits: LIMITS, epoch: EPOCH });
  return 'gap' in result ? result.gap : result.changes.length;
}

/** As an idle writer does. */
function keepHouse(): void {
  for (let i = 0; i < 100 && store.housekeep(true); i += 1);
}

function rowCount(): number {
  const database = openDatabase(file, { readOnly: true });
  const row = database.prepare('SELECT count(*) AS count FROM log').get();
  database.close();
  return Number(row?.['count']);
}

/** Makes all recorded changes older, as if time had passed. */
function age(byMs: number): void {
  const database = openDatabase(file);
  database.prepare('UPDATE log SET at = at - ?').run(byMs);
  database.close();
  // The store keeps the time of the oldest row in memory: a rolled back transaction makes it read the file again.
  store.limitPages(1);
  store.apply([{ type: 'createIndex', index: 'x'.repeat(100_000) }]);
  store.limitPages(0);
}

describe('trimming the change log', () => {
  it('removes changes beyond the age, and tells cursors before them apart (LOG-8)', async () => {
    open({ maxAgeMs: 60_000 });
    const start = store.log.seq;
    const middle = write(collectionNumber, many(3_000));
    write(collectionNumber, ['old']);
    age(61_000);
    const end = write(collectionNumber, ['a', 'b']);
    keepHouse();
    expect(rowCount()).toBe(2);
    expect(await replay(start)).toBe('expired');
    expect(await replay(middle)).toBe('expired');
    expect(await replay(middle + 1)).toBe(2);
    expect(await replay(end)).toBe(0);
    // The other collection has lost nothing.
    expect(await replay(start, OTHER)).toBe(0);
  });

  it('removes the oldest changes beyond the bytes, whatever their collection (LOG-8)', async () => {
    open({ maxBytes: 100_000 });
    const start = store.log.seq;
    write(otherNumber, ['x']);
    const filler = JSON.stringify({ filler: 'x'.repeat(1_000) });
    for (let i = 0; i < 300; i += 1) write(collectionNumber, ['a'], filler);
    expect(await replay(start)).toBe('expired');
    expect(await replay(start, OTHER)).toBe('expired');
    const rows = rowCount();
    expect(rows).toBeGreaterThan(50);
    // Bounded while it is written to, without idle time.
    expect(rows).toBeLessThan(110);
    expect(await replay(store.log.seq - 50)).toBe(50);
  });

  it('keeps what is pinned, up to the limits for pins (LOG-9)', async () => {
    open({ maxAgeMs: 60_000, maxPinnedAgeMs: 3_600_000, maxPinnedBytes: 1_000 });
    const start = write(collectionNumber, ['before']);
    apply({ type: 'pin', ...NAME, holder: 'till', seq: start });
    write(collectionNumber, ['a']);
    age(120_000);
    keepHouse();
    expect(await replay(start)).toBe(1);
    expect(await replay(start - 1)).toBe('expired');
    for (let i = 0; i < 20; i += 1) write(collectionNumber, ['a'], JSON.stringify({ filler: 'x'.repeat(200) }));
    keepHouse();
    expect(await replay(start)).toBe('expired');
    apply({ type: 'pin', ...NAME, holder: 'till', seq: null });
    age(120_000);
    keepHouse();
    expect(rowCount()).toBe(0);
  });

  it('never assigns a removed position again (LOG-2)', async () => {
    open({ maxAgeMs: 1_000 });
    const last = write(collectionNumber, many(10));
    age(2_000);
    keepHouse();
    expect(rowCount()).toBe(0);
    await reader.close();
    store.close();
    store = new WriterStore({
      databaseFile: file,
      history: DEFAULT_HISTORY,
      internalIndex: '',
      isFirst: true,
      marks: [],
      unknownNumbers: 0,
    });
    reader = new ChangeReader(file);
    expect(store.log.seq).toBe(last);
    expect(write(collectionNumber, ['a'])).toBe(last + 1);
  });

  it('ends recording after its time and removes the rest (LOG-4)', async () => {
    open({});
    const start = store.log.seq;
    write(collectionNumber, many(10));
    apply({ type: 'cover', ...NAME, until: Date.now() + 60_000 });
    keepHouse();
    expect(await replay(start)).toBe(10);
    apply({ type: 'cover', ...NAME, until: Date.now() - 1 });
    keepHouse();
    expect(rowCount()).toBe(0);
    expect(await replay(start)).toBe('not_recorded');
    write(collectionNumber, ['a']);
    expect(rowCount()).toBe(0);
    apply({ type: 'cover', ...NAME, until: null });
    expect(await replay(start)).toBe('not_recorded');
    const again = store.log.seq;
    write(collectionNumber, ['a']);
    expect(await replay(again)).toBe(1);
  });

  it('tells a cursor from before a pause apart, though nothing was recorded since (LOG-4)', async () => {
    open({});
    const start = store.log.seq;
    apply({ type: 'cover', ...NAME, until: 1 });
    keepHouse();
    write(collectionNumber, ['missed']);
    apply({ type: 'cover', ...NAME, until: null });
    expect(await replay(start)).toBe('not_recorded');
    expect(await replay(store.log.seq)).toBe(0);
  });

  it('records 1,000 absent collections without subscriptions at most (LOG-4)', () => {
    open({});
    const until = Date.now() + 60_000;
    store.apply(
      Array.from({ length: 1_100 }, (_, i) => ({ index: 'invented', collection: `c${i}` })).flatMap(
        (name): WriterEntry[] => [
          { type: 'cover', ...name, until: null },
          { type: 'cover', ...name, until },
        ],
      ),
    );
    const invented = store.log.covers.filter(({ index }) => index === 'invented');
    expect(invented.map(({ collection }) => collection)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => `c${i + 100}`),
    );
  });

  it('ends recording some time after a restart unless there is a new subscription (LOG-4)', async () => {
    open({ maxAgeMs: 60_000 });
    await reader.close();
    store.close();
    const database = openDatabase(file, { readOnly: true });
    const untils = () =>
      database
        .prepare('SELECT until FROM log_covers')
        .all()
        .map((row) => row['until']);
    expect(untils()).toEqual([null, null]);
    store = new WriterStore({
      databaseFile: file,
      history: { ...DEFAULT_HISTORY, maxAgeMs: 60_000, collections: ['i/o'] },
      internalIndex: '',
      isFirst: true,
      marks: [],
      unknownNumbers: 0,
    });
    reader = new ChangeReader(file);
    expect(untils()).toEqual([expect.any(Number), null]);
    database.close();
  });

  it('erases the history of a collection (LOG-10)', async () => {
    open({});
    const start = store.log.seq;
    write(collectionNumber, ['a'], '{"secret":"s3cr3t"}');
    const end = write(collectionNumber, ['a'], null);
    apply({ type: 'eraseHistory', ...NAME });
    expect(await replay(start)).toBe('expired');
    expect(await replay(end)).toBe(0);
    keepHouse();
    expect(rowCount()).toBe(0);
  });

  it('fails the write whose record has no room (LOG-1)', async () => {
    open({});
    const start = write(collectionNumber, ['a'], JSON.stringify({ filler: 'x'.repeat(100_000) }));
    store.limitPages(Number(pragma('page_count')) + 3);
    // Deleting needs no room for the document, but its record does.
    expect(() => write(collectionNumber, ['a'], null)).toThrow(/full/);
    store.limitPages(0);
    expect(await replay(start)).toBe(0);
    expect(store.log.seq).toBe(start);
    expect(write(collectionNumber, ['a'], null)).toBe(start + 1);
  });
});

function pragma(name: string): unknown {
  const database = openDatabase(file, { readOnly: true });
  const value = database.prepare(`PRAGMA ${name}`).get()?.[name];
  database.close();
  return value;
}

describe('configured recording', () => {
  it('records the collections that the configuration names, and with "all" those that are created later (LOG-7)', () => {
    open({ collections: 'all' });
    apply({ type: 'createCollection', index: 'new', collection: 'one', mapping: '{}' });
    expect(store.log.covers).toContainEqual({ index: 'new', collection: 'one' });
    apply({ type: 'cover', index: 'new', collection: 'one', until: 1 });
    keepHouse();
    expect(store.log.covers).toContainEqual({ index: 'new', collection: 'one' });
  });
});
