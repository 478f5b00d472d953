/*
 * The phases of a move between two embedded engines: fast, and without Elasticsearch. Elasticsearch itself is in
 * elasticsearch.es.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CopyableEngine, StorageEngine, WriteOperation } from '@millrace/kernel';
import { storageErrors } from '@millrace/kernel';
import { parseMapping, parseSearch } from '@millrace/query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INTERNAL, MovableStore } from './openMove.js';

const NAME = { index: 'shop', collection: 'orders' };
const MAPPING = parseMapping({ properties: { n: { type: 'integer' } } });
const LIMITS = { maxChanges: 100_000, maxWeight: 1e9 };
const TO = { to: 'elasticsearch', node: '', verifyOnly: false } as const;
const BACK = { to: 'sqlite', node: '', verifyOnly: false } as const;

const put = (id: string, n: number): WriteOperation => ({
  ...NAME,
  kind: 'put',
  id,
  source: { n },
  condition: 'any',
});

/** The documents of a collection, by id. */
async function contentOf(engine: CopyableEngine): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for await (const page of engine.pages(NAME))
    for (const { id, version, json } of page) content.set(id, `${version}:${json}`);
  return content;
}

/** Writes without a pause; every failure is reported. */
function load(engine: StorageEngine, documents: number) {
  let isOver = false;
  let writes = 0;
  const run = async () => {
    while (!isOver) {
      const id = `d${Math.floor(Math.random() * documents)}`;
      const operation: WriteOperation =
        Math.random() < 0.1 ? { ...NAME, kind: 'delete', id, condition: 'present' } : put(id, writes);
      const [outcome] = await engine.write([operation], false, { atMs: 1, userId: 'u' });
      const isAbsent = outcome?.status === 'failed' && outcome.error.id === 'document.not_found';
      if (outcome?.status === 'failed' && !isAbsent) throw outcome.error;
      writes += 1;
    }
  };
  const runs = Promise.all([run(), run(), run(), run()]);
  return {
    end: async () => {
      isOver = true;
      await runs;
      return writes;
    },
  };
}

describe('a move', () => {
  let store: MovableStore;
  let opened: Awaited<ReturnType<MovableStore['open']>>;

  const reopen = async (wrap?: (target: CopyableEngine) => CopyableEngine) => {
    await opened.moves.stop();
    opened = await store.open(wrap);
  };
  const expectEqual = async () => {
    expect(await contentOf(opened.target())).toEqual(await contentOf(opened.embedded));
  };

  beforeEach(async () => {
    store = await MovableStore.create();
    opened = await store.open();
    await opened.engine.createCollection(NAME, MAPPING);
  });
  afterEach(async () => {
    await opened.moves.stop();
    await store.remove();
  });

  it('MOVE-1, MOVE-4: copies under load, switches, goes on, and moves back; cursors stay valid', async () => {
    const { engine, embedded, moves, target } = opened;
    for (let first = 0; first < 3_000; first += 500)
      await engine.write(
        Array.from({ length: 500 }, (_, i) => put(`d${first + i}`, i)),
        false,
      );
    const before = engine.changeLog.head();
    const running = load(engine, 3_000);
    await moves.begin(TO);
    expect(moves.current).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    expect(moves.current.heldMs).toBeLessThan(1_500);
    await sleep(100);
    await running.end();
    await expectEqual();

    const later = load(engine, 3_000);
    await sleep(100);
    await moves.begin(BACK);
    expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'complete' });
    await sleep(50);
    await later.end();

    // The changes since before the move lead from the content of then to the content of now.
    const replay = await engine.changeLog.netChangesAfter(NAME, before, LIMITS);
    if ('gap' in replay) throw new Error(replay.gap);
    const content = await contentOf(embedded);
    for (const { id, after } of replay.changes)
      expect(after === null ? undefined : `${after.version}:${JSON.stringify(after.source)}`).toBe(content.get(id));
    expect(embedded.hasCollection({ index: INTERNAL, collection: 'moveIntents' })).toBe(false);
    expect(target().isShared).toBeUndefined();
  });

  it('MOVE-1: follows the catalog', async () => {
    const { engine, moves, target } = opened;
    const [other, gone] = ['other', 'gone'].map((collection) => ({ index: 'shop', collection }));
    await engine.createCollection(gone as typeof NAME, MAPPING);
    await engine.write([put('a', 1)], false);
    const done = moves.begin(TO);
    await engine.createCollection(other as typeof NAME, MAPPING);
    await engine.deleteCollection(gone as typeof NAME);
    await engine.truncate(NAME);
    await engine.updateMapping(NAME, parseMapping({ properties: { t: { type: 'keyword' } } }));
    await engine.write([put('b', 2)], false);
    await engine.createIndex('more');
    await engine.setIndexSettings('more', { autoRefresh: true });
    await done;
    expect(await target().listIndexes()).toEqual([INTERNAL, 'more', 'shop']);
    expect(await target().listCollections('shop')).toEqual(['orders', 'other']);
    expect(await target().getIndexSettings('more')).toEqual({ autoRefresh: true });
    expect([...(await contentOf(target())).keys()]).toEqual(['b']);
    expect((await target().getMapping(NAME)).properties.get('t')).toMatchObject({
      type: 'keyword',
    });
  });

  it('MOVE-3: copies and compares only', async () => {
    const { engine, moves } = opened;
    await engine.write([put('a', 1)], false);
    await moves.begin({ ...TO, verifyOnly: true });
    expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'complete', documents: 1 });
    expect(moves.current.checksum).toMatch(/^[0-9a-f]{8}$/);
    await reopen();
    expect(opened.moves.current).toEqual({ engine: 'sqlite', state: 'none' });
  });

  it('MOVE-5: goes on after a restart, with exact versions and cursors', async () => {
    await opened.engine.write([put('a', 1), put('a', 2), put('b', 1)], false);
    await opened.moves.begin(TO);
    await reopen();
    const { engine, embedded, moves } = opened;
    expect(moves.current.engine).toBe('elasticsearch');
    const [first, second, third] = await engine.write(
      [put('a', 3), put('c', 1), { ...NAME, kind: 'delete', id: 'b', condition: 1 }],
      false,
      { atMs: 7, userId: 'u' },
      { requestId: 'r', metadata: {} },
    );
    expect(first).toMatchObject({ status: 'replaced', version: 3 });
    expect(second).toMatchObject({ status: 'created', version: 1 });
    expect(third).toMatchObject({ status: 'deleted' });
    for (const outcome of [first, second, third]) expect(outcome).toHaveProperty('cursor');
    expect(embedded.read(NAME, 'a')).toMatchObject({ version: 3, meta: { updatedAt: 7, updater: 'u' } });
    await expectEqual();
    await moves.begin({ ...BACK, verifyOnly: true });
    expect(moves.current).toMatchObject({ engine: 'elasticsearch', documents: 2 });
    const search = parseSearch({ query: {} });
    const { total, position } = await engine.search(NAME, search, { wantsPosition: true });
    expect([total, position]).toEqual([2, engine.changeLog.head()]);
  });

  it('MOVE-5: both engines follow changes of the catalog', async () => {
    await opened.moves.begin(TO);
    const { engine, embedded, target } = opened;
    await engine.createIndex('more');
    await engine.setIndexSettings('more', { autoRefresh: true });
    await engine.createCollection({ index: 'more', collection: 'c' }, MAPPING);
    await engine.updateMapping(NAME, parseMapping({ properties: { t: { type: 'keyword' } } }));
    await engine.write([put('a', 1)], false);
    expect(await engine.truncate(NAME)).toBe(engine.changeLog.head());
    await expect(engine.createIndex('more')).rejects.toMatchObject({ id: 'storage.index_exists' });
    for (const each of [embedded, target()]) {
      expect(await each.getIndexSettings('more')).toEqual({ autoRefresh: true });
      expect(await each.hasCollection({ index: 'more', collection: 'c' })).toBe(true);
      expect((await each.getMapping(NAME)).properties.has('t')).toBe(true);
      expect(await each.read(NAME, 'a')).toBeNull();
    }
    await engine.deleteCollection(NAME);
    await engine.deleteIndex('more');
    for (const each of [embedded, target()]) {
      expect(await each.hasIndex('more')).toBe(false);
      expect(await each.hasCollection(NAME)).toBe(false);
    }
    expect((await engine.write([put('a', 1)], false))[0]).toMatchObject({ status: 'failed' });
  });

  it('MOVE-6: a write that was not answered is found out later, also after a crash', async () => {
    await opened.moves.begin(TO);
    let isAway = false;
    // Makes the write, and doesn't answer.
    const unreliable = (target: CopyableEngine): CopyableEngine => {
      const write = target.write.bind(target);
      const truncate = target.truncate.bind(target);
      const fail = () => {
        throw storageErrors.unavailable({ reason: 'away' });
      };
      target.write = async (...args) => {
        const outcomes = await write(...args);
        return isAway ? fail() : outcomes;
      };
      target.truncate = async (...args) => {
        await truncate(...args);
        return isAway ? fail() : undefined;
      };
      return target;
    };
    await reopen(unreliable);
    isAway = true;
    await expect(opened.engine.write([put('a', 1)], false)).rejects.toThrow('away');
    expect(opened.embedded.read(NAME, 'a')).toBeNull();
    await expect.poll(() => opened.embedded.read(NAME, 'a')).toMatchObject({ version: 1 });

    await expect(opened.engine.write([put('b', 1)], false)).rejects.toThrow('away');
    await reopen(unreliable);
    expect(opened.embedded.read(NAME, 'b')).toMatchObject({ version: 1 });

    await expect(opened.engine.truncate(NAME)).rejects.toThrow('away');
    isAway = false;
    await opened.engine.write([put('c', 1)], false);
    expect([...(await contentOf(opened.embedded)).keys()]).toEqual(['c']);
    isAway = true;
    await expect(opened.engine.truncate(NAME)).rejects.toThrow('away');
    await reopen(unreliable);
    expect([...(await contentOf(opened.embedded)).keys()]).toEqual([]);
  });

  it('MOVE-2: a document that the target refuses ends the move, and nothing is changed', async () => {
    await reopen((target) => {
      const copy = target.copy.bind(target);
      target.copy = async (copies) => {
        const outcomes = await copy(copies);
        return outcomes.map((outcome, i) =>
          copies[i]?.id === 'bad'
            ? { status: 'failed', error: storageErrors.invalid_mapping({ reason: 'no' }) }
            : outcome,
        );
      };
      return target;
    });
    const { engine, moves } = opened;
    await engine.write([put('bad', 1)], false);
    await expect(moves.begin(TO)).rejects.toThrow('no');
    expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'failed' });
    expect((await engine.write([put('bad', 2)], false))[0]).toMatchObject({ version: 2 });
  });

  it('MOVE-2: a document that the target changes ends the move', async () => {
    await reopen((target) => {
      const copy = target.copy.bind(target);
      target.copy = (copies) =>
        copy(
          copies.map((each) =>
            each.id === 'bad' && each.document !== null
              ? { ...each, document: { ...each.document, json: '{}' } }
              : each,
          ),
        );
      return target;
    });
    await opened.engine.write([put('bad', 1), put('good', 1)], false);
    await expect(opened.moves.begin(TO)).rejects.toThrow('"bad" of shop/orders');
    expect(opened.moves.current.engine).toBe('sqlite');
  });

  it('MOVE-2: refuses a target with other data, and a second move at a time', async () => {
    const { engine, moves } = opened;
    const done = moves.begin(TO);
    expect(() => moves.begin(TO)).toThrow(expect.objectContaining({ id: 'core.move_running' }));
    await done;
    expect(() => moves.begin(TO)).toThrow('already');
    await moves.begin(BACK);
    expect(() => moves.begin(BACK)).toThrow('already');
    expect(() => moves.begin({ ...TO, node: 'http://other' })).toThrow('("http://target")');
    // The copy of before is replaced.
    await engine.write([put('x', 1)], false);
    await moves.begin(TO);
    await moves.begin(BACK);
    await expectEqual().catch(() => undefined);
    await reopen((target) => {
      target.read = async () => null;
      return target;
    });
    await expect(opened.moves.begin(TO)).rejects.toMatchObject({ id: 'core.move_refused' });
  });
});
