import { describe, expect, it } from 'vitest';
import type { Mapping, Query, SearchRequest } from '@millrace/query';
import { documentErrors, storageErrors } from '../contracts/storage/errors.js';
import { NO_DOCUMENT_METADATA } from '../contracts/storage/DocumentMetadata.js';
import type {
  CollectionName,
  StorageEngine,
  StoredDocument,
  WriteOperation,
  WriteOutcome,
} from '../contracts/storage/StorageEngine.js';
import { RecordStore, type RecordKind } from './RecordStore.js';

const EVERYTHING = {} as Query;
const SEARCH = {} as SearchRequest;

/** One collection in memory, absent at first; it logs the calls. */
class OneCollection {
  documents: Map<string, StoredDocument> | undefined;
  readonly calls: string[] = [];
  /** Called between the batches of a scan. */
  meanwhile: () => void = () => undefined;

  hasCollection(): boolean {
    return this.documents !== undefined;
  }

  async createCollection(): Promise<boolean> {
    this.calls.push('createCollection');
    this.documents ??= new Map();
    return true;
  }

  read(_: CollectionName, id: string): StoredDocument | null {
    this.calls.push(`read ${id}`);
    return this.documents?.get(id) ?? null;
  }

  readMany(name: CollectionName, ids: readonly string[]): readonly (StoredDocument | null)[] {
    return ids.map((id) => this.present(name).get(id) ?? null);
  }

  async write(operations: readonly WriteOperation[], refresh: boolean): Promise<readonly WriteOutcome[]> {
    this.calls.push(`write ${operations.map(({ kind, id }) => `${kind} ${id}`).join(', ')}${refresh ? '' : ' later'}`);
    return operations.map((operation) => this.apply(operation));
  }

  async search(name: CollectionName) {
    const hits = [...this.present(name).values()].map((each) => ({ ...each, score: null }));
    return { hits, total: hits.length, maxScore: null, timedOut: false };
  }

  async *scan(name: CollectionName) {
    for (const { id, version } of [...this.present(name).values()]) {
      this.meanwhile();
      yield [{ id, version }];
    }
  }

  private apply(operation: WriteOperation): WriteOutcome {
    const { documents } = this;
    const { id, condition } = operation;
    const { index, collection } = operation;
    if (documents === undefined) {
      return { status: 'failed', error: storageErrors.collection_not_found({ index, collection }) };
    }
    const actual = documents.get(id)?.version;
    if (condition === 'absent' && actual !== undefined) {
      return { status: 'failed', error: documentErrors.already_exists({ index, collection, id }) };
    }
    if (condition !== 'absent' && condition !== 'any' && actual === undefined) {
      return { status: 'failed', error: documentErrors.not_found({ index, collection, id }) };
    }
    if (typeof condition === 'number' && condition !== actual) {
      const error = documentErrors.version_conflict({ id, expected: condition, actual: actual ?? 0 });
      return { status: 'failed', error };
    }
    const version = (actual ?? 0) + 1;
    if (operation.kind === 'delete') {
      documents.delete(id);
      return { status: 'deleted', version };
    }
    const { source } = operation;
    if (source.word === 'unfit') {
      return { status: 'failed', error: documentErrors.invalid_value({ reason: 'it is unfit' }) };
    }
    documents.set(id, { id, version, source, meta: NO_DOCUMENT_METADATA });
    return { status: actual === undefined ? 'created' : 'replaced', version, meta: NO_DOCUMENT_METADATA };
  }

  private present(name: CollectionName): Map<string, StoredDocument> {
    if (this.documents === undefined) throw storageErrors.collection_not_found(name);
    return this.documents;
  }
}

const WORDS: RecordKind<string> = {
  collection: 'words',
  mapping: {} as Mapping,
  parse: ({ source: { word } }) => (word === 'unreadable' ? null : (word as string)),
  toSource: (word) => ({ word }),
};

function open(more: Partial<RecordKind<string>> = {}) {
  const engine = new OneCollection();
  const place = { engine: engine as unknown as StorageEngine, index: '%internal' };
  return { engine, store: new RecordStore(place, { ...WORDS, ...more }) };
}

async function wordsOf(store: RecordStore<string>): Promise<readonly string[]> {
  const words: string[] = [];
  for await (const word of store.scan(EVERYTHING)) words.push(word);
  return words;
}

describe('RecordStore', () => {
  it('is empty as long as its collection is absent, and does not create it to delete', async () => {
    const { engine, store } = open();
    expect(await store.find('a')).toBeNull();
    expect(await store.search(SEARCH)).toMatchObject({ records: [], hits: [], total: 0 });
    expect(await wordsOf(store)).toEqual([]);
    await store.sweep(EVERYTHING);
    expect(await store.delete('a')).toBe(false);
    await store.deleteMany(['a', 'b']);
    expect(engine.hasCollection()).toBe(false);
  });

  it('creates its collection at the first write, in one call more', async () => {
    const { engine, store } = open();
    expect(await store.put('a', 'one', 'absent')).toMatchObject({ status: 'created', version: 1 });
    await store.put('b', 'two', 'any', false);
    expect(engine.calls).toEqual(['write put a', 'createCollection', 'write put a', 'write put b later']);
    expect(await wordsOf(store)).toEqual(['one', 'two']);
    expect((await store.search(SEARCH)).records).toEqual(['one', 'two']);
  });

  it('tells a write whose condition does not hold from one that fails', async () => {
    const { store } = open();
    await store.put('a', 'one', 'absent');
    expect(await store.tryPut('a', 'two', 'absent')).toBeNull();
    expect(await store.tryPut('a', 'two', 7)).toBeNull();
    expect(await store.tryPut('b', 'two', 'present')).toBeNull();
    expect(await store.tryPut('a', 'two', 1)).toMatchObject({ version: 2 });
    await expect(store.put('a', 'three', 'absent')).rejects.toMatchObject({ id: 'document.already_exists' });
    await expect(store.tryPut('a', 'unfit', 'any')).rejects.toMatchObject({ id: 'document.invalid_value' });
    expect(await store.delete('a', 1)).toBe(false);
    expect(await store.delete('a', 2)).toBe(true);
    expect(await store.find('a')).toBeNull();
  });

  it('reads a cached record once, and again after each write of it', async () => {
    const { engine, store } = open({ cached: { maxCount: 10, contentOf: (word) => word } });
    await store.put('a', 'one', 'any');
    expect([await store.find('a'), store.find('a'), store.known('a')]).toEqual(['one', 'one', 'one']);
    await store.put('a', 'two', 'any');
    expect(store.known('a')).toBeUndefined();
    expect(await store.find('a')).toBe('two');
    expect(await store.tryPut('a', 'three', 'absent')).toBeNull();
    expect(store.known('a')).toBeUndefined();
    expect(await store.reload('a')).toBe('two');
    store.drop('a');
    expect(await store.find('a')).toBe('two');
    await store.delete('a');
    expect(await store.find('a')).toBeNull();
    expect(engine.calls.filter((call) => call === 'read a')).toHaveLength(5);
  });

  it('treats what it cannot parse, and ids that no record can have, as absent', async () => {
    const { engine, store } = open({ isId: (id) => id !== 'impossible' });
    await store.put('a', 'unreadable', 'any');
    await store.put('b', 'two', 'any');
    expect(await store.find('a')).toBeNull();
    expect(await store.readMany(['impossible', 'b', 'a', 'c'])).toEqual(['two']);
    expect((await store.search(SEARCH)).records).toEqual(['two']);
    expect(await store.find('impossible')).toBeNull();
    expect(engine.calls).not.toContain('read impossible');
  });

  it('sweeps what matches, except what is changed meanwhile', async () => {
    const { engine, store } = open();
    for (const id of ['a', 'b']) await store.put(id, id, 'any');
    engine.meanwhile = () => {
      engine.meanwhile = () => undefined;
      const changed = engine.documents?.get('b');
      if (changed !== undefined) engine.documents?.set('b', { ...changed, version: 2 });
    };
    await store.sweep(EVERYTHING);
    expect(await wordsOf(store)).toEqual(['b']);
  });
});
