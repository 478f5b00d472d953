import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_HISTORY } from './HistoryOptions.js';
import { openDatabase } from '../openDatabase.js';
import { rowChecksum } from '../storedText.js';
import type { SqlRow } from '../SqliteDatabase.js';
import { CONDITION, WRITE_CODE } from './WriteCode.js';
import type { CollectionMark, WriterAnswer, WriterEntry, WriteSegment } from './WriterEntry.js';
import { WriterStore } from './WriterStore.js';

type Operation = readonly [collectionNumber: number, id: string, json: string | null, condition: number];

function segment(...operations: readonly Operation[]): WriteSegment {
  return {
    type: 'write',
    collectionNumbers: operations.map(([collectionNumber]) => collectionNumber),
    ids: operations.map(([, id]) => id),
    jsons: operations.map(([, , json]) => json),
    conditions: operations.map(([, , , condition]) => condition),
    stamps: [''],
    stampStarts: [0],
    origins: [''],
    originStarts: [0],
  };
}

let directory: string;
let file: string;
let store: WriterStore;

function open(isFirst = true, marks: readonly CollectionMark[] = [], unknownNumbers = 0): WriterStore {
  store = new WriterStore({
    databaseFile: file,
    history: DEFAULT_HISTORY,
    internalIndex: '',
    isFirst,
    marks,
    unknownNumbers,
  });
  return store;
}

function rows(sql: string): SqlRow[] {
  const database = openDatabase(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

function apply(...entries: readonly WriterEntry[]): readonly WriterAnswer[] {
  return store.apply(entries).answers;
}

function createCollection(collection = 'c'): number {
  const [answer] = apply({ type: 'createCollection', index: 'i', collection, mapping: '{}' });
  if (answer?.type !== 'done' || answer.collectionNumber === undefined) throw new Error(JSON.stringify(answer));
  return answer.collectionNumber;
}

function write(...operations: readonly Operation[]): readonly (readonly [number, number])[] {
  const [answer] = apply(segment(...operations));
  if (answer?.type !== 'written') throw new Error(JSON.stringify(answer));
  return answer.codes.map((code, i) => [code, answer.versions[i] as number] as const);
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-writer-'));
  file = join(directory, 'millrace.db');
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true });
});

describe('WriterStore', () => {
  it('writes with synchronous=FULL in WAL mode, on a new file and on a reopened one', () => {
    for (let round = 0; round < 2; round += 1) {
      open();
      expect([store.pragma('synchronous'), store.pragma('journal_mode')]).toEqual([2, 'wal']);
      expect(store.pragma('cache_size')).toBe(-16 * 1024);
      if (round === 0) store.close();
    }
  });

  it('decides existence and versions in the order of the operations', () => {
    open();
    const collectionNumber = createCollection();
    const outcomes = write(
      [collectionNumber, 'a', '{"n":1}', CONDITION.absent],
      [collectionNumber, 'a', '{"n":2}', CONDITION.absent],
      [collectionNumber, 'a', '{"n":3}', CONDITION.any],
      [collectionNumber, 'a', '{"n":4}', 2],
      [collectionNumber, 'a', '{"n":5}', 2],
      [collectionNumber, 'a', '{"n":6}', CONDITION.present],
      [collectionNumber, 'b', '{"n":7}', CONDITION.present],
      [collectionNumber, 'b', '{"n":8}', 1],
      [collectionNumber, 'a', '{"n":9}', CONDITION.never],
      [collectionNumber, 'b', '{"n":10}', CONDITION.any],
      [collectionNumber, 'b', null, 2],
      [collectionNumber, 'b', null, 1],
      [collectionNumber, 'b', null, CONDITION.present],
    );
    expect(outcomes.map(([code]) => code)).toEqual([
      WRITE_CODE.created,
      WRITE_CODE.alreadyExists,
      WRITE_CODE.replaced,
      WRITE_CODE.replaced,
      WRITE_CODE.versionConflict,
      WRITE_CODE.replaced,
      WRITE_CODE.notFound,
      WRITE_CODE.notFound,
      WRITE_CODE.versionConflict,
      WRITE_CODE.created,
      WRITE_CODE.versionConflict,
      WRITE_CODE.deleted,
      WRITE_CODE.notFound,
    ]);
    expect(outcomes[3]).toEqual([WRITE_CODE.replaced, 3]);
    expect(outcomes[4]).toEqual([WRITE_CODE.versionConflict, 3]);
    expect(rows(`SELECT id, v, c, j FROM docs_${collectionNumber}`)).toEqual([
      { id: 'a', v: 4, c: rowChecksum(4, 'a', '{"n":6}'), j: '{"n":6}' },
    ]);
  });

  it('takes all entries of one call through one transaction', () => {
    open();
    const collectionNumber = createCollection();
    const before = store.committedTransactions;
    apply(...Array.from({ length: 64 }, (_, i) => segment([collectionNumber, `d${i}`, '{}', CONDITION.absent])));
    expect(store.committedTransactions - before).toBe(1);
    expect(rows(`SELECT count(*) AS n FROM docs_${collectionNumber}`)).toEqual([{ n: 64 }]);
  });

  it('never uses a row number twice, even after the highest row is deleted', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{}', CONDITION.absent], [collectionNumber, 'b', '{}', CONDITION.absent]);
    write([collectionNumber, 'b', null, CONDITION.present], [collectionNumber, 'c', '{}', CONDITION.absent]);
    write([collectionNumber, 'a', '{"x":1}', CONDITION.any]);
    expect(rows(`SELECT n, id FROM docs_${collectionNumber} ORDER BY n`)).toEqual([
      { n: 3, id: 'c' },
      { n: 4, id: 'a' },
    ]);
  });

  it('goes on above the numbers of a writer that died, said and unsaid ones', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{}', CONDITION.absent], [collectionNumber, 'b', '{}', CONDITION.absent]);
    const { marks } = store.apply([segment([collectionNumber, 'b', null, CONDITION.present])]);
    expect(marks).toEqual([{ collectionNumber, rowNumber: 2, tombstoneNumber: 0 }]);
    store.close();
    open(false, marks, 10);
    write([collectionNumber, 'c', '{}', CONDITION.absent]);
    expect(rows(`SELECT n FROM docs_${collectionNumber} WHERE id = 'c'`)).toEqual([{ n: 13 }]);
  });

  it('leaves tombstones only while the collection is searched', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{}', CONDITION.absent], [collectionNumber, 'a', '{}', CONDITION.any]);
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual([]);
    apply({ type: 'use', collectionNumber, tombstones: true, retained: false, held: false });
    write([collectionNumber, 'a', '{}', CONDITION.any], [collectionNumber, 'a', null, CONDITION.present]);
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual([
      { s: 1, n: 2 },
      { s: 2, n: 3 },
    ]);
    apply({ type: 'prune', collectionNumber, tombstoneNumber: 1 });
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual([{ s: 2, n: 3 }]);
  });

  it('keeps the tombstones that a stored search index needs, over restarts and without a search', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{}', CONDITION.absent], [collectionNumber, 'b', '{}', CONDITION.absent]);
    const record = { collectionNumber, rowNumber: 2, tombstoneNumber: 0, token: 't' } as const;
    expect(apply({ type: 'indexStored', ...record })).toEqual([{ type: 'done' }]);
    write([collectionNumber, 'b', null, CONDITION.present]);
    store.close();
    open();
    // The stored index contains row 2: the number is not reused.
    write([collectionNumber, 'c', '{}', CONDITION.absent], [collectionNumber, 'a', null, CONDITION.present]);
    expect(rows(`SELECT n, id FROM docs_${collectionNumber}`)).toEqual([{ n: 3, id: 'c' }]);
    const tombstones = [
      { s: 1, n: 2 },
      { s: 2, n: 1 },
    ];
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual(tombstones);
    // The index in memory has read them, the stored one has not.
    apply({ type: 'prune', collectionNumber, tombstoneNumber: 2 });
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual(tombstones);
    apply({ type: 'indexStored', collectionNumber, rowNumber: 3, tombstoneNumber: 1, token: 'u' });
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual([{ s: 2, n: 1 }]);
    expect(rows('SELECT * FROM index_files')).toEqual([{ k: collectionNumber, n: 3, s: 1, token: 'u' }]);
  });

  it('takes no note of a stored search index whose tombstones are gone, or whose collection is', () => {
    open();
    const collectionNumber = createCollection();
    apply({ type: 'use', collectionNumber, tombstones: true, retained: false, held: false });
    write([collectionNumber, 'a', '{}', CONDITION.absent], [collectionNumber, 'a', null, CONDITION.present]);
    apply({ type: 'prune', collectionNumber, tombstoneNumber: 1 });
    expect(
      apply({
        type: 'indexStored',
        collectionNumber,
        rowNumber: 1,
        tombstoneNumber: 0,
        token: 't',
      }),
    ).toEqual([{ type: 'refused', reason: 'tombstones_gone' }]);
    expect(
      apply({
        type: 'indexStored',
        collectionNumber: collectionNumber + 1,
        rowNumber: 1,
        tombstoneNumber: 0,
        token: 't',
      }),
    ).toEqual([{ type: 'refused', reason: 'collection_not_found' }]);
    expect(rows('SELECT * FROM index_files')).toEqual([]);
  });

  it('discards a stored search index that lags too far behind, and forgets one with its collection', () => {
    open();
    const [collectionNumber, other] = [createCollection(), createCollection('other')];
    write([collectionNumber, 'a', '{}', CONDITION.absent]);
    apply({ type: 'indexStored', collectionNumber, rowNumber: 1, tombstoneNumber: 0, token: 't' });
    apply({
      type: 'indexStored',
      collectionNumber: other,
      rowNumber: 0,
      tombstoneNumber: 0,
      token: 'u',
    });
    const again = Array.from({ length: 10_000 }, () => [collectionNumber, 'a', '{}', CONDITION.any] as const);
    for (let round = 0; round <= 20; round += 1) write(...again);
    while (store.housekeep(true));
    expect(rows('SELECT k FROM index_files')).toEqual([{ k: other }]);
    expect(rows(`SELECT count(*) AS n FROM gone_${collectionNumber}`)).toEqual([{ n: 0 }]);
    apply({ type: 'deleteCollection', index: 'i', collection: 'other' });
    while (store.housekeep(true));
    expect(rows('SELECT k FROM index_files')).toEqual([]);
  });

  it('keeps dying rows while a cursor is open, and forgets them after', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{"x":1}', CONDITION.absent]);
    apply({ type: 'use', collectionNumber, tombstones: true, retained: true, held: true });
    write([collectionNumber, 'a', '{"x":2}', CONDITION.any], [collectionNumber, 'a', null, CONDITION.present]);
    expect(rows(`SELECT n, id, v, j FROM old_${collectionNumber}`)).toEqual([
      { n: 1, id: 'a', v: 1, j: '{"x":1}' },
      { n: 2, id: 'a', v: 2, j: '{"x":2}' },
    ]);
    apply({ type: 'use', collectionNumber, tombstones: true, retained: false, held: false });
    expect(rows(`SELECT * FROM old_${collectionNumber}`)).toEqual([]);
  });

  it('truncates by a new number, leads late operations there, and drops the old tables when no search holds them', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'a', '{}', CONDITION.absent]);
    apply({ type: 'use', collectionNumber, tombstones: true, retained: true, held: true });
    const [truncated, late] = apply(
      { type: 'truncate', collectionNumber },
      segment([collectionNumber, 'a', '{"late":1}', CONDITION.absent]),
    );
    if (truncated?.type !== 'done' || truncated.collectionNumber === undefined) throw new Error('not truncated');
    expect(truncated.collectionNumber).toBeGreaterThan(collectionNumber);
    expect(late).toEqual({ type: 'written', codes: [WRITE_CODE.created], versions: [1] });
    expect(rows(`SELECT k, name FROM collections`)).toEqual([{ k: truncated.collectionNumber, name: 'c' }]);
    expect(store.housekeep(true)).toBe(false);
    expect(rows(`SELECT id FROM docs_${collectionNumber}`)).toEqual([{ id: 'a' }]);
    apply({ type: 'use', collectionNumber, tombstones: false, retained: false, held: false });
    expect(store.housekeep(true)).toBe(true);
    expect(() => rows(`SELECT id FROM docs_${collectionNumber}`)).toThrow(/no such table/);
    expect(rows(`SELECT j FROM docs_${truncated.collectionNumber}`)).toEqual([{ j: '{"late":1}' }]);
  });

  it('refuses operations on a deleted collection and gives its name a new number', () => {
    open();
    const collectionNumber = createCollection();
    apply({ type: 'deleteCollection', index: 'i', collection: 'c' });
    expect(write([collectionNumber, 'a', '{}', CONDITION.any])).toEqual([[WRITE_CODE.collectionNotFound, 0]]);
    expect(createCollection()).toBeGreaterThan(collectionNumber);
  });

  it('refuses what the catalog contradicts', () => {
    open();
    createCollection();
    expect(
      apply(
        { type: 'createIndex', index: 'i' },
        { type: 'createIndex', index: 'j' },
        { type: 'createCollection', index: 'i', collection: 'c', mapping: '{}' },
        { type: 'deleteCollection', index: 'i', collection: 'absent' },
        { type: 'deleteIndex', index: 'absent' },
        { type: 'deleteIndex', index: 'i' },
        { type: 'truncate', collectionNumber: 77 },
      ).map((answer) => (answer.type === 'refused' ? answer.reason : answer.type)),
    ).toEqual([
      'index_exists',
      'done',
      'collection_exists',
      'collection_not_found',
      'index_not_found',
      'done',
      'collection_not_found',
    ]);
    expect(rows('SELECT name FROM indexes')).toEqual([{ name: 'j' }]);
    expect(rows('SELECT * FROM collections')).toEqual([]);
  });

  it('fails every operation of a transaction that a full disk stops, writes none, and goes on when there is room', () => {
    open();
    const collectionNumber = createCollection();
    write([collectionNumber, 'kept', '{}', CONDITION.absent]);
    store.limitPages(1);
    const big = JSON.stringify({ text: 'x'.repeat(100_000) });
    const failed = store.apply([
      { type: 'setMapping', collectionNumber, mapping: '{"m":1}', version: 2 },
      segment([collectionNumber, 'small', '{}', CONDITION.absent], [collectionNumber, 'big', big, CONDITION.absent]),
      { type: 'createCollection', index: 'i', collection: 'other', mapping: '{}' },
      { type: 'use', collectionNumber, tombstones: true, retained: false, held: false },
    ]);
    expect(failed.answers.map((answer) => answer.type)).toEqual(['failed', 'failed', 'failed', 'done']);
    expect(failed.answers[1]).toEqual({
      type: 'failed',
      reason: expect.stringContaining('full') as string,
    });
    expect(rows(`SELECT id FROM docs_${collectionNumber}`)).toEqual([{ id: 'kept' }]);
    expect(store.failure).toBe('writes fail: no space left on the device');
    store.limitPages(0);
    expect(
      write([collectionNumber, 'small', '{}', CONDITION.absent], [collectionNumber, 'kept', '{}', CONDITION.any]),
    ).toEqual([
      [WRITE_CODE.created, 1],
      [WRITE_CODE.replaced, 2],
    ]);
    expect(store.failure).toBeNull();
    // The mapping whose transaction failed was written with the next one; the reader's use was recorded anyway.
    expect(rows('SELECT name, mapping, mapping_version FROM collections')).toEqual([
      { name: 'c', mapping: '{"m":1}', mapping_version: 2 },
    ]);
    expect(rows(`SELECT count(*) AS n FROM gone_${collectionNumber}`)).toEqual([{ n: 1 }]);
  });

  it('keeps everything over a restart and clears what served the last process', () => {
    open();
    const collectionNumber = createCollection();
    apply({ type: 'use', collectionNumber, tombstones: true, retained: true, held: true });
    write([collectionNumber, 'a', '{"x":1}', CONDITION.absent], [collectionNumber, 'a', '{"x":2}', CONDITION.any]);
    const doomed = createCollection('doomed');
    apply({ type: 'deleteCollection', index: 'i', collection: 'doomed' });
    store.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    open();
    expect(rows(`SELECT n, v, j FROM docs_${collectionNumber}`)).toEqual([{ n: 2, v: 2, j: '{"x":2}' }]);
    expect(rows(`SELECT * FROM gone_${collectionNumber}`)).toEqual([]);
    expect(rows(`SELECT * FROM old_${collectionNumber}`)).toEqual([]);
    expect(store.housekeep(true)).toBe(true);
    expect(() => rows(`SELECT * FROM docs_${doomed}`)).toThrow(/no such table/);
  });

  it('empties its log when idle, and at the next chance when a reader needs it', () => {
    open();
    const collectionNumber = createCollection();
    const reader = openDatabase(file, { readOnly: true });
    reader.exec(`BEGIN; SELECT * FROM docs_${collectionNumber}`);
    write([collectionNumber, 'a', '{}', CONDITION.absent]);
    expect(store.housekeep(true)).toBe(false);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    reader.close();
    store.housekeep(true);
    expect(statSync(`${file}-wal`).size).toBe(0);
  });
});
