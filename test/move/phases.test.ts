/*
 * The phases of a move between two embedded engines: fast, and without Elasticsearch. Elasticsearch itself is in
 * elasticsearch.es.test.ts.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeLog, CopyableEngine, StorageEngine, StoredText, WriteOperation } from '@millrace/kernel';
import { storageErrors } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
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

/** Writes without a pause, each writer to its documents; every failure is reported. */
function load(engine: StorageEngine, documents: number) {
  let isOver = false;
  let writes = 0;
  /** By id, what the last answered write has left; undefined: nothing. */
  const expected = new Map<string, number | undefined>();
  const run = async (writer: number) => {
    while (!isOver) {
      const id = `d${4 * Math.floor((Math.random() * documents) / 4) + writer}`;
      const n = writes;
      const isDelete = Math.random() < 0.1;
      const operation: WriteOperation = isDelete ? { ...NAME, kind: 'delete', id, condition: 'present' } : put(id, n);
      const [outcome] = await engine.write([operation], false, { atMs: 1, userId: 'u' });
      const isAbsent = outcome?.status === 'failed' && outcome.error.id === 'document.not_found';
      if (outcome?.status === 'failed' && !isAbsent) throw outcome.error;
      expected.set(id, isDelete ? undefined : n);
      writes += 1;
    }
  };
  const runs = Promise.all([0, 1, 2, 3].map(run));
  return {
    /** Resolves when as many writes more have been answered. */
    goesOn: async (count: number) => {
      const from = writes;
      await expect.poll(() => writes).toBeGreaterThan(from + count);
    },
    end: async () => {
      isOver = true;
      await runs;
      return expected;
    },
  };
}

/** Each document is as the last answered write has left it. */
async function expectWritten(engine: StorageEngine, expected: ReadonlyMap<string, number | undefined>) {
  const found = await engine.readMany(NAME, [...expected.keys()]);
  expect(found.map((document) => document?.source['n'])).toEqual([...expected.values()]);
}

describe('a move', () => {
  let store: MovableStore;
  let opened: Awaited<ReturnType<MovableStore['open']>>;

  const reopen = async (wrap?: (target: CopyableEngine) => CopyableEngine) => {
    await opened.moves.stop();
    opened = await store.open(wrap);
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

  it('MOVE-1, MOVE-4, MOVE-9: copies under load, switches, goes on, and moves back', async () => {
    const { engine, moves } = opened;
    for (let first = 0; first < 3_000; first += 500)
      await engine.write(
        Array.from({ length: 500 }, (_, i) => put(`d${first + i}`, i)),
        false,
      );
    const running = load(engine, 3_000);
    await running.goesOn(50);
    await moves.begin(TO);
    expect(moves.current).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    expect(moves.current.heldMs).toBeLessThan(1_500);
    await running.goesOn(50);
    await moves.begin(BACK);
    expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'complete' });
    await running.goesOn(50);
    await expectWritten(engine, await running.end());
    expect(moves.embedded?.listIndexes()).toEqual([INTERNAL, 'shop']);

    const content = await contentOf(moves.embedded as CopyableEngine);
    await reopen();
    expect(opened.moves.current).toEqual({ engine: 'sqlite', state: 'none' });
    expect(await contentOf(opened.embedded)).toEqual(content);
  });

  it('MOVE-4: answers writes in the order of the change log, when a move begins and when it ends', async () => {
    const { engine, moves } = opened;
    const cursors: string[] = [];
    let isOver = false;
    const run = async (writer: number) => {
      for (let n = 0; !isOver; n += 1) {
        const [outcome] = await engine.write([put(`d${writer}`, n)], false);
        if (outcome !== undefined && 'cursor' in outcome) cursors.push(outcome.cursor);
      }
    };
    const runs = Promise.all(Array.from({ length: 16 }, (_, writer) => run(writer)));
    for (let moved = 0; moved < 3; moved += 1) await moves.begin({ ...TO, verifyOnly: true });
    const ends = cursors.length;
    await expect.poll(() => cursors.length).toBeGreaterThan(ends + 100);
    isOver = true;
    await runs;
    expect(cursors).toEqual([...cursors].sort());
    expect(new Set(cursors).size).toBe(cursors.length);
  });

  it('MOVE-5: cursors of before end with the switch, and the next start on the embedded engine has others', async () => {
    const { engine, moves } = opened;
    const log = engine.changeLog as ChangeLog;
    await engine.write([put('a', 1)], false);
    const before = await log.head();
    await moves.begin(TO);
    const [written] = await engine.write([put('a', 2)], false);
    expect(written).not.toHaveProperty('cursor');
    const gaps = async (...cursors: readonly string[]) =>
      Promise.all(cursors.map((cursor) => log.netChangesAfter(NAME, log.check(cursor), LIMITS)));
    const after = [await log.head(), await log.head()];
    expect(new Set(after).size).toBe(2);
    expect(await gaps(before, ...after)).toEqual([
      { gap: 'epoch_changed' },
      { gap: 'not_recorded' },
      { gap: 'not_recorded' },
    ]);
    expect(() => log.check('x')).toThrow(expect.objectContaining({ id: 'realtime.invalid_cursor' }));
    await log.cover(NAME);
    log.release(NAME);
    expect(engine.givesPositions).toBe(false);
    await moves.begin(BACK);
    expect(await gaps(before)).toEqual([{ gap: 'epoch_changed' }]);
    await reopen();
    const { changeLog } = opened.embedded;
    for (const cursor of [before, ...after])
      expect(await changeLog.netChangesAfter(NAME, changeLog.check(cursor), LIMITS)).toEqual({ gap: 'epoch_changed' });
    expect(opened.engine.givesPositions).toBe(true);
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

  it('MOVE-5, MOVE-7: goes on after a restart, with exact versions, and leaves the database as it was', async () => {
    await opened.engine.write([put('a', 1), put('a', 2), put('b', 1)], false);
    await opened.moves.begin(TO);
    const left = await contentOf(opened.embedded);
    await reopen();
    const { engine, embedded, moves } = opened;
    expect(moves.current.engine).toBe('elasticsearch');
    expect(moves.embedded).toBeUndefined();
    const [first, second, third] = await engine.write(
      [put('a', 3), put('c', 1), { ...NAME, kind: 'delete', id: 'b', condition: 1 }],
      false,
      { atMs: 7, userId: 'u' },
      { requestId: 'r', metadata: {} },
    );
    expect(first).toMatchObject({ status: 'replaced', version: 3 });
    expect(second).toMatchObject({ status: 'created', version: 1 });
    expect(third).toMatchObject({ status: 'deleted' });
    expect(await engine.read(NAME, 'a')).toMatchObject({ version: 3, meta: { updatedAt: 7, updater: 'u' } });
    expect(await contentOf(embedded)).toEqual(left);
    await moves.begin({ ...BACK, verifyOnly: true });
    expect(moves.current).toMatchObject({ engine: 'elasticsearch', documents: 2 });
    await moves.begin(BACK);
    expect(await engine.read(NAME, 'a')).toMatchObject({ version: 3, meta: { updatedAt: 7, updater: 'u' } });
  });

  it('MOVE-9: a move back that is interrupted or fails changes nothing', async () => {
    await opened.engine.write([put('a', 1), put('b', 1)], false);
    await opened.moves.begin(TO);
    const interrupted = opened.moves.begin(BACK);
    const ended = expect(interrupted).rejects.toThrow('the server is stopped');
    await reopen((target) => {
      // Is copied with another content than it is compared with.
      const [pages, readTexts] = [target.pages.bind(target), target.readTexts.bind(target)];
      const change = <T extends StoredText | null>(text: T): T =>
        text?.id === 'b' ? { ...text, json: '{"n":9}' } : text;
      let passes = 0;
      target.pages = async function* (name) {
        passes += 1;
        for await (const page of pages(name)) yield passes > 1 ? page.map(change) : page;
      };
      target.readTexts = async (name, ids) => (await readTexts(name, ids)).map(change);
      return target;
    });
    await ended;
    const { engine, moves } = opened;
    await engine.write([put('a', 2)], false);
    await expect(moves.begin(BACK)).rejects.toThrow('the embedded engine, such as "b"');
    expect(moves.current).toMatchObject({ engine: 'elasticsearch', state: 'failed' });
    await engine.write([put('a', 3)], false);
    await reopen();
    expect(await opened.engine.read(NAME, 'a')).toMatchObject({ version: 3 });
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
    expect(await opened.target().read(NAME, 'x')).toMatchObject({ version: 1 });
    await moves.begin(BACK);
    await reopen((target) => {
      target.read = async () => null;
      return target;
    });
    await expect(opened.moves.begin(TO)).rejects.toMatchObject({ id: 'core.move_refused' });
  });

  /** Calls `act` at the second call of a method of the target. */
  const atSecond = (target: CopyableEngine, method: 'copy' | 'readTexts' | 'refresh', act: () => void) => {
    const original = target[method].bind(target) as (...args: unknown[]) => unknown;
    let calls = 0;
    Object.assign(target, {
      [method]: (...args: unknown[]) => {
        calls += 1;
        if (calls === 2) act();
        return original(...args);
      },
    });
  };

  it.each([
    ['is copied', 'copy', 'copying'],
    ['is compared', 'readTexts', 'comparing'],
    ['is about to be switched, with writes held', 'refresh', 'switching'],
  ] as const)(
    'MOVE-11: is cancelled while it %s, with all writes kept, and the next one moves',
    async (_, method, state) => {
      let cancelled: Promise<void> | undefined;
      await reopen((target) => {
        if (cancelled !== undefined) return target;
        atSecond(target, method, () => {
          expect(opened.moves.current.state).toBe(state);
          cancelled = opened.moves.cancel();
        });
        return target;
      });
      const { engine, moves } = opened;
      await engine.createCollection({ ...NAME, collection: 'more' }, MAPPING);
      await engine.write(
        Array.from({ length: 5_000 }, (_, i) => put(`d${i}`, i)),
        false,
      );
      const running = load(engine, 5_000);
      await running.goesOn(20);
      await expect(moves.begin(TO)).rejects.toThrow('the move is cancelled');
      await cancelled;
      expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'cancelled', to: 'elasticsearch' });
      expect(moves.current.endedAt).toBeGreaterThan(0);
      expect(moves.current.reason).toBeUndefined();
      await running.goesOn(50);
      await expect(moves.cancel()).rejects.toMatchObject({ id: 'core.move_not_cancelled', status: 409 });
      await moves.begin(TO);
      await running.goesOn(50);
      await expectWritten(engine, await running.end());
      expect(moves.current).toMatchObject({ engine: 'elasticsearch', state: 'complete' });
    },
  );

  it('MOVE-11: is not cancelled once the server notes that its documents are elsewhere', async () => {
    let refused: Promise<unknown> | undefined;
    await reopen((target) => {
      const write = target.write.bind(target);
      target.write = (...args) => {
        // The mark of the copy, in a move back.
        if (opened.moves.current.to === 'sqlite')
          refused = opened.moves.cancel().catch((error: unknown) => error as Error);
        return write(...args);
      };
      return target;
    });
    const { moves } = opened;
    await moves.begin(TO);
    await moves.begin(BACK);
    expect(await refused).toMatchObject({ id: 'core.move_not_cancelled', status: 409 });
    expect(moves.current).toMatchObject({ engine: 'sqlite', state: 'complete' });
    await expect(moves.cancel()).rejects.toThrow('none is running');
  });

  it('MOVE-2: no move replaces the data that is in use', async () => {
    await opened.engine.write([put('a', 1)], false);
    await opened.moves.begin(TO);
    // An operator brings the database of before the move back.
    await opened.moves.stop();
    await rm(join(store.folder, 'a/engine.json'));
    opened = await store.open();
    await expect(opened.moves.begin(TO)).rejects.toMatchObject({ id: 'core.move_refused' });
  });
});
