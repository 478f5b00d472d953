import { describe, expect, it } from 'vitest';
import {
  DOCUMENT_LISTENERS,
  NO_LISTENERS,
  type DocumentChange,
  type DocumentListeners,
  type JsonObject,
  type PendingChange,
} from '@millrace/kernel';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };

function openObserved(subscribed: ReadonlySet<string> = new Set(['things'])) {
  const changes: DocumentChange[] = [];
  const pending: PendingChange[] = [];
  const wiped: string[] = [];
  const listeners: DocumentListeners = {
    ...NO_LISTENERS,
    namesIn: (index) => (index === 'shop' ? [...subscribed] : []),
    isListening: ({ index, collection }) => index === 'shop' && subscribed.has(collection),
    isListeningForPending: ({ index }) => index === 'shop',
    pending: (change) => pending.push(change),
    committed: (change) => changes.push(change),
    wiped: ({ collection }) => wiped.push(collection),
  };
  const storage = openTestStorage({}, (container) => container.registerInstance(DOCUMENT_LISTENERS, listeners));
  /** The observed changes in order, as `id: before → after`. */
  const changeLines = () => changes.map(({ id, before, after }) => `${id}: ${shown(before)} → ${shown(after)}`);
  return { ...storage, changes, pending, wiped, changeLines };
}

const shown = (source: JsonObject | null) => (source === null ? '-' : JSON.stringify(source.n));

describe('writes with subscribers (PROTO-81)', () => {
  it('hands over each change with the document before and after, numbered in order', async () => {
    const { run, changes, changeLines } = openObserved();
    const name = { ...AT, _id: 'a' };
    await run('document.create', { ...name, body: { n: 1 }, metadata: { m: 1 }, requestId: 'r1' });
    await run('document.createOrReplace', { ...name, body: { n: 2 } });
    await run('document.replace', { ...name, body: { n: 3 } });
    await run('document.update', { ...name, body: { n: 4 } });
    await run('document.update', { ...name, body: { n: 4 } });
    await run('document.delete', name);
    await run('document.createOrReplace', { ...name, body: { n: 5 } });
    expect(changeLines()).toEqual(['a: - → 1', 'a: 1 → 2', 'a: 2 → 3', 'a: 3 → 4', 'a: 4 → -', 'a: - → 5']);
    expect(changes.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(changes[0]?.origin).toMatchObject({ requestId: 'r1', metadata: { m: 1 } });
    expect(changes.map(({ version }) => version).slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  it('reads the document of an update once, in one turn of its queue', async () => {
    const { run, engine, changeLines } = openObserved();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    const read = engine.read.bind(engine);
    let reads = 0;
    engine.read = (...args) => {
      reads++;
      return read(...args);
    };
    await run('document.update', { ...AT, _id: 'a', body: { n: 2 } });
    expect([reads, changeLines().at(-1)]).toEqual([1, 'a: 1 → 2']);
    await run('document.upsert', { ...AT, _id: 'a', body: { doc: { n: 3 } } });
    expect([reads, changeLines().at(-1)]).toEqual([2, 'a: 2 → 3']);
  });

  it('makes a write once that must fail, with a change log that nodes share', async () => {
    const { run, refusal, engine } = openObserved();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    const written: number[] = [];
    const write = engine.write.bind(engine);
    Object.assign(engine, {
      changeLog: { passOn: () => undefined },
      write: (...args: Parameters<typeof write>) => {
        written.push(args[0].length);
        return write(...args);
      },
    });
    const refused = await refusal('document.create', { ...AT, _id: 'a', body: { n: 2 } });
    expect([refused.id, written]).toEqual(['document.already_exists', [1]]);
  });

  it('hands over nothing of writes that fail (VALID-32)', async () => {
    const { run, refusal, changes } = openObserved();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    changes.length = 0;
    await refusal('document.create', { ...AT, _id: 'a', body: {} });
    await refusal('document.replace', { ...AT, _id: 'none', body: {} });
    await refusal('document.replace', { ...AT, _id: 'a', body: {}, ifVersion: 9 });
    await refusal('document.delete', { ...AT, _id: 'none' });
    expect(changes).toEqual([]);
  });

  it('knows the document before each line of a bulk, also where one comes twice', async () => {
    const { run, changeLines } = openObserved();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    const bulkData = [
      { index: { _id: 'a' } }, { n: 2 }, { index: { _id: 'a' } }, { n: 3 }, { delete: { _id: 'a' } },
      { create: { _id: 'a' } }, { n: 4 }, { update: { _id: 'a' } }, { doc: { n: 5 } },
      { create: { _id: 'b' } }, { n: 6 },
    ]; // prettier-ignore
    await run('bulk.import', { ...AT, body: { bulkData } });
    expect(changeLines()).toEqual(['a: - → 1', 'a: 1 → 2', 'a: 2 → 3', 'a: 3 → -', 'a: - → 4', 'a: 4 → 5', 'b: - → 6']);
  });

  it('keeps the versions of a document in order under concurrent writes', async () => {
    const { run, changes } = openObserved();
    const writes = Array.from({ length: 40 }, (_, n) =>
      run('document.createOrReplace', { ...AT, _id: 'a', body: { n } }),
    );
    await Promise.all(writes);
    expect(changes.map(({ version }) => version)).toEqual(writes.map((_, i) => i + 1));
    changes.slice(1).forEach(({ before }, i) => expect(before).toEqual(changes[i]?.after));
  });

  it('tells before a creation and a deletion of a single document, and of no other write', async () => {
    const { run, refusal, pending } = openObserved();
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    await run('document.createOrReplace', { ...AT, _id: 'b', body: { n: 2 } });
    await run('document.createOrReplace', { ...AT, _id: 'b', body: { n: 3 } });
    await run('document.update', { ...AT, _id: 'b', body: { n: 4 } });
    await run('document.mCreate', { ...AT, body: { documents: [{ _id: 'c', body: {} }] } });
    await refusal('document.create', { ...AT, _id: 'a', body: { n: 9 } });
    await run('document.delete', { ...AT, _id: 'b' });
    await refusal('document.delete', { ...AT, _id: 'b' });
    expect(pending.map(({ kind, id, source }) => `${kind} ${id} ${JSON.stringify(source.n)}`)).toEqual([
      'create a 1',
      'create b 2',
      'delete b 4',
    ]);
  });

  it.each(['collection.truncate', 'collection.delete', 'index.delete'])(
    '%s removes each document audibly',
    async (action) => {
      const { run, changes, changeLines, wiped } = openObserved();
      for (const n of [1, 2, 3]) await run('document.create', { ...AT, _id: `d${n}`, body: { n } });
      changes.length = 0;
      await run(action, AT);
      expect(changeLines().sort()).toEqual(['d1: 1 → -', 'd2: 2 → -', 'd3: 3 → -']);
      expect(wiped).toEqual([]);
    },
  );

  it.each(['collection.truncate', 'collection.delete', 'index.delete'])(
    '%s reports documents that another writer creates in the meantime as removed together (RESUME-21)',
    async (action) => {
      const { run, engine, wiped } = openObserved();
      await run('document.create', { ...AT, _id: 'a', body: {} });
      const scan = engine.scan.bind(engine);
      engine.scan = async function* (name, selection) {
        yield* scan(name, selection);
        await run('document.create', { ...AT, _id: 'late', body: {} });
      };
      await run(action, AT);
      expect(wiped).toEqual(['things']);
    },
  );

  it('index.delete removes the documents of a collection audibly that is subscribed in the meantime (RESUME-2)', async () => {
    const subscribed = new Set(['things']);
    const { run, engine, changeLines, changes } = openObserved(subscribed);
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 } });
    await run('document.create', { ...AT, collection: 'others', _id: 'b', body: { n: 2 } });
    changes.length = 0;
    const scan = engine.scan.bind(engine);
    engine.scan = async function* (name, selection) {
      yield* scan(name, selection);
      subscribed.add('others');
    };
    await run('index.delete', AT);
    expect(changeLines()).toEqual(['a: 1 → -', 'b: 2 → -']);
  });

  it('deleteByQuery notifies, silent writes and other collections are not (PROTO-86)', async () => {
    const { run, changeLines, changes } = openObserved();
    const silent = true;
    await run('document.create', { ...AT, _id: 'a', body: { n: 1 }, silent });
    await run('document.create', { ...AT, _id: 'b', body: { n: 2 }, silent });
    await run('document.create', { ...AT, collection: 'others', _id: 'c', body: { n: 3 } });
    await run('collection.truncate', { ...AT, collection: 'others' });
    expect(changes).toEqual([]);
    await run('document.deleteByQuery', { ...AT, body: { query: { term: { n: 1 } } } });
    expect(changeLines()).toEqual(['a: 1 → -']);
    await run('collection.truncate', { ...AT, silent });
    expect(changes).toHaveLength(1);
  });
});
