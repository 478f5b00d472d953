import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../openDatabase.js';
import type { SqliteDatabase } from '../../SqliteDatabase.js';
import { CollectionRows } from '../index/CollectionRows.js';
import { IndexLoader } from '../index/IndexLoader.js';
import { SearchTasks } from '../SearchTasks.js';
import { TestCollection } from '../TestCollection.test.support.js';
import type { IndexFileRecord } from '../../writer/IndexFiles.js';
import { StoredIndexes } from './StoredIndexes.js';

const MAPPING = {
  properties: {
    tag: { type: 'keyword' },
    n: { type: 'integer' },
    price: { type: 'double' },
    day: { type: 'date' },
    on: { type: 'boolean' },
    ip: { type: 'ip' },
    at: { type: 'geo_point' },
    area: { type: 'geo_shape' },
    text: { type: 'text', fielddata: true },
    parts: {
      type: 'nested',
      properties: {
        name: { type: 'keyword' },
        sizes: { type: 'nested', properties: { cm: { type: 'integer' } } },
      },
    },
  },
};

const WORDS = ['red', 'grün', '\u{1F600}', '\uD800', 'blue', ''];

function source(i: number): JsonObject {
  const tags = [WORDS[i % 6], WORDS[(i * 5) % 4]] as string[];
  return {
    ...(i % 7 === 0 ? {} : { tag: i % 3 === 0 ? tags : (tags[0] as string) }),
    n: i % 4 === 0 ? [i, -i] : i,
    price: i / 3,
    day: `2024-01-${String((i % 28) + 1).padStart(2, '0')}`,
    on: i % 2 === 0,
    ip: `10.0.0.${i % 250}`,
    at:
      i % 5 === 0
        ? [
            [1, i / 10],
            [2, 3],
          ]
        : { lat: i / 10, lon: -i / 5 },
    area: {
      type: 'envelope',
      coordinates: [
        [i / 10, i / 10 + 1],
        [i / 10 + 1, i / 10],
      ],
    },
    text: `${WORDS[i % 3]} fox ${i % 2 === 0 ? 'jumps over' : 'sleeps'} ${WORDS[i % 2]} fox`,
    parts: Array.from({ length: i % 3 }, (_, j) => ({
      name: `p${j}`,
      sizes: [{ cm: i + j }, { cm: j }],
    })),
  };
}

const SEARCHES: readonly JsonObject[] = [
  {},
  { query: { term: { tag: 'grün' } } },
  { query: { match: { text: 'red fox' } } },
  {
    query: { match_phrase: { text: 'fox jumps over' } },
    aggs: { t: { terms: { field: 'text' } } },
  },
  { query: { range: { n: { gte: -20, lt: 30 } } }, sort: [{ price: 'desc' }] },
  { query: { geo_distance: { distance: '300km', at: { lat: 2, lon: 3 } } } },
  {
    query: {
      geo_shape: {
        area: { shape: { type: 'point', coordinates: [3, 3] }, relation: 'intersects' },
      },
    },
  },
  { query: { nested: { path: 'parts.sizes', query: { range: { 'parts.sizes.cm': { lt: 9 } } } } } },
  { query: { term: { ip: '10.0.0.0/28' } }, sort: ['tag'] },
  {
    size: 0,
    aggs: {
      tags: { terms: { field: 'tag' }, aggs: { p: { stats: { field: 'price' } } } },
      days: { date_histogram: { field: 'day', calendar_interval: 'day' } },
      cells: { geohash_grid: { field: 'at', precision: 2 } },
      parts: { nested: { path: 'parts' }, aggs: { names: { terms: { field: 'parts.name' } } } },
      on: { terms: { field: 'on' } },
    },
  },
];

let things: TestCollection;
let database: SqliteDatabase;
let directory: string;

beforeEach(() => {
  things = new TestCollection(MAPPING);
  things.put(Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`d${i}`, source(i)])));
  things.delete('d7', 'd8');
  database = openDatabase(things.databaseFile, { readOnly: true });
  directory = `${things.databaseFile}-index`;
});
afterEach(() => {
  database.close();
  things.close();
});

/** Stores the current index of the collection and records it in the database. */
function store(): IndexFileRecord {
  const rows = new CollectionRows(database, things.number);
  const loader = new IndexLoader(rows);
  loader.catchUp(() => false);
  // Builds the lazy parts too.
  things.search({ query: { term: { tag: 'red' } } });
  const storing = files().begin(things.number, loader.index, rows.readMapping());
  while (!storing.step(0));
  const { collectionNumber, rowNumber, tombstoneNumber, token } = storing.record;
  things.exec(
    `INSERT OR REPLACE INTO index_files VALUES(${collectionNumber}, ${rowNumber}, ${tombstoneNumber}, '${token}')`,
  );
  return storing.record;
}

function files(): StoredIndexes {
  return new StoredIndexes(database, directory);
}

function searchAll(): unknown[] {
  const tasks = new SearchTasks({
    databaseFile: things.databaseFile,
    onCaughtUp: () => undefined,
    maxResultBytes: Infinity,
  });
  const own: unknown = Reflect.get(things, 'tasks');
  try {
    Reflect.set(things, 'tasks', tasks);
    return SEARCHES.map((body) => things.search(body));
  } finally {
    Reflect.set(things, 'tasks', own);
    tasks.close();
  }
}

function filePath({ collectionNumber, token }: IndexFileRecord): string {
  return join(directory, `${collectionNumber}-${token}.index`);
}

describe('a stored index', () => {
  it('gives what an index built from the documents gives, for every kind of field', () => {
    const built = searchAll();
    store();
    expect(files().load(things.number)?.slotCount).toBe(118);
    expect(searchAll()).toEqual(built);
  });

  it('is followed up by what was written, replaced and deleted since', () => {
    store();
    things.put({ d1: source(50), fresh: { ...source(3), tag: 'new' } }).delete('d9', 'd10');
    // Scores depend on deleted documents: compared with an index that existed all the time.
    expect(searchAll()).toEqual(SEARCHES.map((body) => things.search(body)));
    expect(things.ids({ query: { term: { tag: 'new' } } })).toEqual(['fresh']);
  });

  it('a file that is cut off anywhere is not used', () => {
    const record = store();
    const whole = readFileSync(filePath(record));
    const built = searchAll();
    for (let i = 0; i < 40; i += 1) {
      writeFileSync(filePath(record), whole.subarray(0, Math.floor((whole.length * i) / 40)));
      expect(files().load(things.number)).toBeUndefined();
    }
    writeFileSync(filePath(record), whole.subarray(0, whole.length - 1));
    expect(files().load(things.number)).toBeUndefined();
    expect(searchAll()).toEqual(built);
  });

  it('with one changed byte is not used, wherever that is', () => {
    const record = store();
    const whole = readFileSync(filePath(record));
    for (let i = 0; i < 200; i += 1) {
      const damaged = Buffer.from(whole);
      const at = Math.floor((whole.length * i) / 200);
      damaged[at] = (damaged[at] as number) ^ (1 << (i % 8));
      writeFileSync(filePath(record), damaged);
      expect(files().load(things.number)).toBeUndefined();
    }
    writeFileSync(filePath(record), whole);
    expect(files().load(things.number)).toBeDefined();
  });

  it('of another collection, of another state, or without a record is not used', () => {
    const first = store();
    things.put({ more: source(1) });
    const second = store();
    expect(files().load(things.number)?.slotCount).toBe(119);
    // The older file under the newer name.
    writeFileSync(filePath(second), readFileSync(filePath(first)));
    expect(files().load(things.number)).toBeUndefined();
    // The newer record names a missing file.
    rmSync(filePath(second));
    expect(files().load(things.number)).toBeUndefined();
    things.exec(`UPDATE index_files SET token = '${first.token}'`);
    // The right file, but the record describes another state.
    expect(files().load(things.number)).toBeUndefined();
    things.exec(`UPDATE index_files SET n = ${first.rowNumber}, s = ${first.tombstoneNumber}`);
    expect(files().load(things.number)).toBeDefined();
    things.exec('DELETE FROM index_files');
    expect(files().load(things.number)).toBeUndefined();
  });

  it('of another format is not used', () => {
    const record = store();
    const text = readFileSync(filePath(record)).toString('latin1');
    const other = text.replace(/"format":"\d,/, '"format":"0,');
    expect(other).not.toBe(text);
    writeFileSync(filePath(record), Buffer.from(other, 'latin1'));
    expect(files().load(things.number)).toBeUndefined();
  });

  it('takes down the index as it is when storing begins, whatever is written meanwhile', () => {
    const rows = new CollectionRows(database, things.number);
    const loader = new IndexLoader(rows);
    loader.catchUp(() => false);
    things.search({});
    const storing = files().begin(things.number, loader.index, rows.readMapping());
    things.put({ d3: source(99), later: source(98) }).delete('d4');
    loader.catchUp(() => false);
    while (!storing.step(0));
    const { collectionNumber, rowNumber, tombstoneNumber, token } = storing.record;
    things.exec(
      `INSERT OR REPLACE INTO index_files VALUES(${collectionNumber}, ${rowNumber}, ${tombstoneNumber}, '${token}')`,
    );
    const stored = files().load(things.number);
    expect(stored?.slotCount).toBe(118);
    expect(stored?.deadCount).toBe(0);
    expect(searchAll()).toEqual(SEARCHES.map((body) => things.search(body)));
  });

  it('leaves no file behind that nothing names', () => {
    const first = store();
    const second = store();
    writeFileSync(join(directory, '9-abc.index'), 'half');
    files().cleanUp();
    expect(readdirSync(directory)).toEqual([`${second.collectionNumber}-${second.token}.index`]);
    expect(() => statSync(filePath(first))).toThrow(/ENOENT/);
  });
});
