import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { JsonObject, WriteCondition, WriteOperation, WriteOutcome } from '@millrace/kernel';
import { parseCount, parseMapping, toMappingBody } from '@millrace/query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './openDatabase.js';
import { createSqliteEngine, type SqliteEngine } from './SqliteEngine.js';

const NAME = { index: 'library', collection: 'books' };
const EMPTY = parseMapping({ properties: {} });

let dataDir: string;
let engine: SqliteEngine;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-engine-'));
  engine = createSqliteEngine({ dataDir });
  await engine.start();
});

afterEach(async () => {
  await engine.stop();
  rmSync(dataDir, { recursive: true });
});

function put(id: string, source: JsonObject, condition: WriteCondition = 'any'): WriteOperation {
  return { ...NAME, id, kind: 'put', source, condition };
}

async function write(...operations: readonly WriteOperation[]): Promise<unknown[]> {
  return (await engine.write(operations, false)).map(show);
}

/** An outcome in a form that is easy to compare: its status and version, or the id of its error. */
function show(outcome: WriteOutcome): unknown {
  return outcome.status === 'failed' ? outcome.error.id : [outcome.status, outcome.version];
}

async function restart(): Promise<void> {
  await engine.stop();
  engine = createSqliteEngine({ dataDir });
  await engine.start();
}

describe('SqliteEngine', () => {
  it('counts and scans all of a collection alike before and after its first and last document', async () => {
    const query = parseCount({});
    const scanned = async () => {
      const ids: string[] = [];
      for await (const batch of engine.scan(NAME, query)) ids.push(...batch.map(({ id }) => id));
      return ids;
    };
    await expect(engine.count(NAME, query)).rejects.toThrow('library');
    await expect(scanned()).rejects.toThrow('library');
    await engine.createCollection(NAME, EMPTY);
    expect([await engine.count(NAME, query), await scanned()]).toEqual([0, []]);
    await write(put('a', {}));
    expect([await engine.count(NAME, query), await scanned()]).toEqual([1, ['a']]);
    await write({ ...NAME, id: 'a', kind: 'delete', condition: 'present' });
    expect([await engine.count(NAME, query), await scanned()]).toEqual([0, []]);
  });

  it('reads a document back as it was written, at once and after a restart', async () => {
    await engine.createCollection(NAME, EMPTY);
    const source = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":1,"text":"a\\u0000b","half":"\\ud800","deep":{"__proto__":[1]},"€":"😀"}',
    ) as JsonObject;
    expect(await write(put('a', source))).toEqual([['created', 1]]);
    expect(engine.read(NAME, 'a')).toMatchObject({ id: 'a', version: 1 });
    expect(engine.read(NAME, 'a')?.source).toEqual(source);
    await restart();
    const stored = engine.read(NAME, 'a');
    expect(JSON.stringify(stored?.source)).toBe(JSON.stringify(source));
    expect(engine.readText(NAME, 'a')?.json).toBe(JSON.stringify(source));
    expect(Object.hasOwn(stored?.source ?? {}, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('sees each write that was answered, also where several reads of a turn share a snapshot', async () => {
    await engine.createCollection(NAME, EMPTY);
    const versions = () => Array.from({ length: 4 }, () => engine.read(NAME, 'a')?.version ?? 0);
    const watch = setInterval(versions, 0);
    for (let version = 1; version <= 200; version++) {
      const writing = write(put('a', { version }));
      for (const seen of versions()) expect([version - 1, version]).toContain(seen);
      await writing;
      expect(versions()).toEqual([version, version, version, version]);
    }
    clearInterval(watch);
  });

  it('sees a write that is answered while a snapshot of before is shared', async () => {
    await engine.createCollection(NAME, EMPTY);
    // So many that they are sent at once: the answer is there when this callback of a timer ends, and is handled before
    // the snapshot of its turn would end by itself.
    const many = Array.from({ length: 100 }, (_, n) => put(`${n}`, { n }));
    const seen = await new Promise((resolve, reject) =>
      setTimeout(() => {
        expect([engine.read(NAME, '1'), engine.read(NAME, '2')]).toEqual([null, null]);
        const written = engine.write(many, false);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        written.then(() => resolve([engine.read(NAME, '1'), engine.read(NAME, '99')])).catch(reject);
      }),
    );
    expect(seen).toMatchObject([{ source: { n: 1 } }, { source: { n: 99 } }]);
  });

  it('gives the outcomes of a call in the order of its operations', async () => {
    await engine.createCollection(NAME, EMPTY);
    expect(
      await write(
        put('a', { n: 1 }, 'absent'),
        put('a', { n: 2 }, 'absent'),
        put('a', { n: 3 }, 1),
        put('a', { n: 4 }, 1),
        put('a', { n: 5 }, 0),
        put('b', { n: 6 }, 'present'),
        { ...NAME, collection: 'absent', id: 'a', kind: 'put', source: {}, condition: 'any' },
        { ...NAME, id: 'a', kind: 'delete', condition: 2 },
        { ...NAME, id: 'a', kind: 'delete', condition: 'present' },
      ),
    ).toEqual([
      ['created', 1],
      'document.already_exists',
      ['replaced', 2],
      'document.version_conflict',
      'document.version_conflict',
      'document.not_found',
      'storage.collection_not_found',
      ['deleted', 2],
      'document.not_found',
    ]);
  });

  it('lets exactly one of many concurrent creations win, and counts every concurrent replacement', async () => {
    await engine.createCollection(NAME, EMPTY);
    const creations = await Promise.all(Array.from({ length: 50 }, (_, n) => write(put('a', { n }, 'absent'))));
    expect(creations.flat().filter((outcome) => Array.isArray(outcome))).toEqual([['created', 1]]);
    await Promise.all(Array.from({ length: 99 }, (_, n) => write(put('a', { n }))));
    expect(engine.read(NAME, 'a')?.version).toBe(100);
    const winners = await Promise.all(Array.from({ length: 50 }, (_, n) => write(put('a', { n }, 100))));
    expect(winners.flat().filter((outcome) => Array.isArray(outcome))).toEqual([['replaced', 101]]);
  });

  it('adds dynamic fields before the next operation of the same call is checked, and keeps them', async () => {
    await engine.createCollection(NAME, EMPTY);
    expect(await write(put('a', { n: 1 }), put('b', { n: 'no number' }), put('c', { t: 'x' }))).toEqual([
      ['created', 1],
      'document.invalid_value',
      ['created', 1],
    ]);
    const expected = parseMapping({
      properties: {
        n: { type: 'long' },
        t: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
      },
    });
    expect(toMappingBody(engine.getMapping(NAME))).toEqual(toMappingBody(expected));
    await restart();
    expect(toMappingBody(engine.getMapping(NAME))).toEqual(toMappingBody(expected));
    expect(await write(put('b', { n: 'no number' }))).toEqual(['document.invalid_value']);
  });

  it('merges mappings and refuses a contradiction without changing anything', async () => {
    await engine.createCollection(NAME, parseMapping({ properties: { n: { type: 'long' } } }));
    await engine.updateMapping(NAME, parseMapping({ properties: { k: { type: 'keyword' } } }));
    await expect(
      engine.updateMapping(NAME, parseMapping({ properties: { n: { type: 'keyword' }, x: { type: 'long' } } })),
    ).rejects.toMatchObject({ id: 'storage.invalid_mapping', status: 400 });
    await restart();
    expect(toMappingBody(engine.getMapping(NAME))).toEqual({
      properties: { n: { type: 'long' }, k: { type: 'keyword' } },
    });
  });

  it('refuses ids and names that SQLite would change', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(put('\ufffd', { n: 1 }), put('a', { n: 2 }));
    expect(await write(put('\ud800', {}), put('a\0b', {}))).toEqual([
      'document.invalid_value',
      'document.invalid_value',
    ]);
    expect(engine.read(NAME, '\ud800')).toBeNull();
    expect(engine.read(NAME, 'a\0')).toBeNull();
    await expect(engine.createIndex('a\0')).rejects.toMatchObject({ id: 'storage.invalid_name' });
    await expect(engine.createCollection({ index: 'a', collection: '\ud800' }, EMPTY)).rejects.toMatchObject({
      id: 'storage.invalid_name',
    });
  });

  it('keeps apart names that would be trouble in SQL or in an object', async () => {
    const names = ['__proto__', 'constructor', `a'; DROP TABLE meta; --`, '"', 'É', 'e\u0301', '%', '数'];
    for (const [n, name] of names.entries()) {
      const collection = { index: name, collection: name };
      expect(await engine.createCollection(collection, EMPTY)).toBe(true);
      await engine.write([{ ...collection, id: name, kind: 'put', source: { n }, condition: 'absent' }], false);
    }
    await restart();
    expect(engine.listIndexes()).toEqual([...names].sort());
    for (const [n, name] of names.entries()) {
      expect(engine.listCollections(name)).toEqual([name]);
      expect(engine.read({ index: name, collection: name }, name)?.source).toEqual({ n });
    }
  });

  it('creates, lists and removes indexes and collections', async () => {
    await engine.createIndex('b');
    await engine.createIndex('a');
    await expect(engine.createIndex('a')).rejects.toMatchObject({ id: 'storage.index_exists' });
    expect(await Promise.all([engine.createCollection(NAME, EMPTY), engine.createCollection(NAME, EMPTY)])).toEqual([
      true,
      false,
    ]);
    expect(engine.listIndexes()).toEqual(['a', 'b', 'library']);
    await engine.setIndexSettings('a', { autoRefresh: true });
    await write(put('x', {}));
    await engine.deleteCollection(NAME);
    expect(engine.read(NAME, 'x')).toBeNull();
    expect(engine.hasCollection(NAME)).toBe(false);
    await expect(engine.deleteCollection(NAME)).rejects.toMatchObject({
      id: 'storage.collection_not_found',
    });
    await engine.createCollection(NAME, EMPTY);
    expect(engine.read(NAME, 'x')).toBeNull();
    await engine.deleteIndex('library');
    await expect(engine.deleteIndex('library')).rejects.toMatchObject({
      id: 'storage.index_not_found',
    });
    expect(() => engine.getMapping(NAME)).toThrow(expect.objectContaining({ id: 'storage.index_not_found' }));
    await restart();
    expect(engine.listIndexes()).toEqual(['a', 'b']);
    expect([engine.getIndexSettings('a'), engine.getIndexSettings('b')]).toEqual([
      { autoRefresh: true },
      { autoRefresh: false },
    ]);
  });

  it('truncates at once and keeps the mapping, whatever is written in the same turn', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(...Array.from({ length: 100 }, (_, n) => put(`d${n}`, { n })));
    const truncated = engine.truncate(NAME);
    const late = write(put('late', { other: true }));
    await Promise.all([truncated, late]);
    expect(engine.read(NAME, 'd0')).toBeNull();
    expect(engine.read(NAME, 'late')?.source).toEqual({ other: true });
    await restart();
    expect(engine.read(NAME, 'late')?.version).toBe(1);
    expect([...engine.getMapping(NAME).properties.keys()].sort()).toEqual(['n', 'other']);
  });

  it('reads many documents in the order of their ids', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(...Array.from({ length: 1_200 }, (_, n) => put(`d${n}`, { n })));
    const ids = ['d5', 'absent', 'd1', ...Array.from({ length: 1_200 }, (_, n) => `d${n}`)];
    const documents = await engine.readMany(NAME, ids);
    expect(documents.slice(0, 3).map((document) => document?.source ?? null)).toEqual([{ n: 5 }, null, { n: 1 }]);
    expect(documents.slice(3).map((document) => document?.id)).toEqual(ids.slice(3));
  });

  it('takes a bulk larger than a transaction and answers each operation', async () => {
    await engine.createCollection(NAME, EMPTY);
    const operations = Array.from({ length: 12_000 }, (_, n) => put(`d${n % 11_000}`, { n }, 'absent'));
    const outcomes = await write(...operations);
    expect(outcomes.filter((outcome) => Array.isArray(outcome))).toHaveLength(11_000);
    expect(new Set(outcomes.slice(11_000))).toEqual(new Set(['document.already_exists']));
  });

  it('gives an error, never wrong data, for a document with a changed byte', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(put('a', { text: 'untouched' }), put('b', { text: 'to be damaged' }));
    await engine.stop();
    const file = join(dataDir, 'millrace.db');
    const bytes = readFileSync(file);
    bytes.write('D', bytes.indexOf('to be damaged') + 6);
    writeFileSync(file, bytes);
    engine = createSqliteEngine({ dataDir });
    await engine.start();
    expect(() => engine.read(NAME, 'b')).toThrow(expect.objectContaining({ id: 'storage.corrupt', status: 500 }));
    expect(engine.read(NAME, 'a')?.source).toEqual({ text: 'untouched' });
  });

  it('refuses a second engine on its directory and every call when stopped', async () => {
    const second = createSqliteEngine({ dataDir });
    await expect(second.start()).rejects.toMatchObject({
      id: 'storage.unavailable',
      message: expect.stringContaining(dataDir) as string,
    });
    await engine.stop();
    await expect(engine.ping()).rejects.toMatchObject({ id: 'storage.unavailable' });
    await expect(engine.write([put('a', {})], false)).rejects.toMatchObject({
      id: 'storage.unavailable',
    });
    expect(() => engine.read(NAME, 'a')).toThrow(/stopped/);
  });

  it('describes itself and answers a ping', async () => {
    await engine.ping();
    const description = engine.describe();
    expect(description).toMatchObject({ type: 'sqlite', mode: 'embedded' });
    expect(description.version).toMatch(/^3\.\d+\.\d+$/);
  });

  it('keeps its tables free of deleted rows without searches', async () => {
    await engine.createCollection(NAME, EMPTY);
    for (let n = 0; n < 20; n += 1) await write(put('a', { n }));
    await engine.stop();
    const database = openDatabase(join(dataDir, 'millrace.db'));
    expect(database.prepare('SELECT count(*) AS n FROM gone_1').get()?.['n']).toBe(0);
    expect(database.prepare('SELECT count(*) AS n FROM old_1').get()?.['n']).toBe(0);
    database.close();
  });

  it('empties its log without writes, though documents are read', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(...Array.from({ length: 500 }, (_, n) => put(`d${n}`, { n })));
    const logSize = () => statSync(join(dataDir, 'millrace.db-wal')).size;
    expect(logSize()).toBeGreaterThan(0);
    await expect
      .poll(() => {
        engine.read(NAME, 'd1');
        return logSize();
      })
      .toBe(0);
  });

  it('goes on with a new writer when one dies, and loses no mapping that later documents need', async () => {
    await engine.createCollection(NAME, EMPTY);
    await write(put('a', { n: 1 }));
    const lost = engine.write([put('b', { fresh: 1 })], false);
    const worker = Reflect.get(Reflect.get(engine, 'services') as object, 'writer') as object;
    await Promise.all([
      (Reflect.get(worker, 'worker') as Worker).terminate(),
      expect(lost).rejects.toMatchObject({ id: 'storage.unavailable', status: 503 }),
    ]);
    const again = async () => write(put('c', { fresh: 2 })).catch(() => null);
    await expect.poll(again).toEqual([['created', 1]]);
    expect(await write(put('a', { n: 2 }, 1))).toEqual([['replaced', 2]]);
    await restart();
    expect(engine.read(NAME, 'c')?.source).toEqual({ fresh: 2 });
    expect([...engine.getMapping(NAME).properties.keys()].sort()).toEqual(['fresh', 'n']);
  });
});
