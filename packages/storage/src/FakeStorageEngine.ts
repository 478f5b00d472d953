import {
  documentErrors,
  NO_DOCUMENT_METADATA,
  queryErrors,
  stampMetadata,
  storageErrors,
  type CollectionName,
  type EngineDescription,
  type IndexSettings,
  type JsonObject,
  type ScannedDocument,
  type SearchCursor,
  type SearchOutcome,
  type StorageEngine,
  type StoredDocument,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { mergeMapping, type Mapping, type Query, type SearchRequest } from '@millrace/query';

const WIPED_AT = 'fake.1';

interface FakeCollection {
  mapping: Mapping;
  readonly documents: Map<string, StoredDocument>;
}

interface FakeIndex {
  settings: IndexSettings;
  readonly collections: Map<string, FakeCollection>;
}

/**
 * Test support: an in-memory storage engine with a naive implementation of every rule of the contract. Searches support
 * `match_all` and `term`; hits are in order of id. `refuses` simulates the mapping check, `beforeWrite` lets a test
 * interfere.
 */
export class FakeStorageEngine implements StorageEngine {
  readonly indexes = new Map<string, FakeIndex>();
  /** Sizes of the `write` calls so far. */
  readonly writeSizes: number[] = [];
  /** The `refresh` arguments of the `write` calls so far. */
  readonly refreshes: boolean[] = [];
  openCursorCount = 0;
  /** @returns why the content is refused */
  refuses: (source: JsonObject) => string | undefined = () => undefined;
  /** Runs before each `write`; a throw makes the call fail. */
  beforeWrite: (operations: readonly WriteOperation[]) => void = () => undefined;

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  async ping(): Promise<void> {}

  describe(): EngineDescription {
    return { type: 'fake', version: '1', mode: 'memory', memoryUsed: null, memoryPeak: null };
  }

  listIndexes(): readonly string[] {
    return [...this.indexes.keys()].sort();
  }

  hasIndex(index: string): boolean {
    return this.indexes.has(index);
  }

  async createIndex(index: string): Promise<void> {
    if (this.indexes.has(index)) throw storageErrors.index_exists({ index });
    this.indexes.set(index, { settings: { autoRefresh: false }, collections: new Map() });
  }

  async deleteIndex(index: string): Promise<string | undefined> {
    const { collections } = this.index(index);
    this.indexes.delete(index);
    return [...collections.values()].some(({ documents }) => documents.size > 0) ? WIPED_AT : undefined;
  }

  getIndexSettings(index: string): IndexSettings {
    return this.index(index).settings;
  }

  async setIndexSettings(index: string, settings: IndexSettings): Promise<void> {
    this.index(index).settings = settings;
  }

  listCollections(index: string): readonly string[] {
    return [...this.index(index).collections.keys()].sort();
  }

  hasCollection({ index, collection }: CollectionName): boolean {
    return this.indexes.get(index)?.collections.has(collection) === true;
  }

  async createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    if (this.hasCollection(name)) return false;
    if (!this.hasIndex(name.index)) await this.createIndex(name.index);
    this.index(name.index).collections.set(name.collection, { mapping, documents: new Map() });
    return true;
  }

  async deleteCollection(name: CollectionName): Promise<string | undefined> {
    const { documents } = this.collection(name);
    this.index(name.index).collections.delete(name.collection);
    return documents.size > 0 ? WIPED_AT : undefined;
  }

  async truncate(name: CollectionName): Promise<string | undefined> {
    const { documents } = this.collection(name);
    const wipedAt = documents.size > 0 ? WIPED_AT : undefined;
    documents.clear();
    return wipedAt;
  }

  getMapping(name: CollectionName): Mapping {
    return this.collection(name).mapping;
  }

  async updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    const collection = this.collection(name);
    collection.mapping = mergeMapping(collection.mapping, update);
  }

  read({ index, collection }: CollectionName, id: string): StoredDocument | null {
    return this.indexes.get(index)?.collections.get(collection)?.documents.get(id) ?? null;
  }

  readMany(name: CollectionName, ids: readonly string[]): readonly (StoredDocument | null)[] {
    this.index(name.index);
    return ids.map((id) => this.read(name, id));
  }

  async write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
  ): Promise<readonly WriteOutcome[]> {
    this.beforeWrite(operations);
    this.writeSizes.push(operations.length);
    this.refreshes.push(refresh);
    return operations.map((operation) => this.apply(operation, stamp));
  }

  async refresh(index: string): Promise<number> {
    return this.index(index).collections.size;
  }

  async search(name: CollectionName, request: SearchRequest): Promise<SearchOutcome> {
    const matches = this.matches(name, request.query);
    const { from, size } = request;
    return this.toOutcome(matches.slice(from, from + size), matches.length);
  }

  async count(name: CollectionName, query: Query): Promise<number> {
    return this.matches(name, query).length;
  }

  async openCursor(name: CollectionName, { query, size }: SearchRequest): Promise<SearchCursor> {
    const matches = this.matches(name, query);
    let position = 0;
    let isClosed = false;
    this.openCursorCount++;
    return {
      next: async () => {
        if (!this.hasCollection(name)) throw queryErrors.scroll_not_found({});
        const page = matches.slice(position, position + size);
        position += size;
        return this.toOutcome(page, matches.length);
      },
      close: async () => {
        if (!isClosed) this.openCursorCount--;
        isClosed = true;
      },
    };
  }

  async *scan(name: CollectionName, query: Query): AsyncGenerator<readonly ScannedDocument[]> {
    const matches = this.matches(name, query);
    for (let i = 0; i < matches.length; i += 3) yield matches.slice(i, i + 3);
  }

  private apply(operation: WriteOperation, stamp: WriteStamp | undefined): WriteOutcome {
    const { index, collection, id, condition } = operation;
    if (!this.hasCollection(operation)) {
      return { status: 'failed', error: storageErrors.collection_not_found({ index, collection }) };
    }
    const { documents } = this.collection(operation);
    const stored = documents.get(id);
    const actual = stored?.version;
    if (actual === undefined && (condition === 'present' || typeof condition === 'number')) {
      return { status: 'failed', error: documentErrors.not_found({ index, collection, id }) };
    }
    if (actual !== undefined && condition === 'absent') {
      return { status: 'failed', error: documentErrors.already_exists({ index, collection, id }) };
    }
    if (actual !== undefined && typeof condition === 'number' && actual !== condition) {
      const error = documentErrors.version_conflict({ id, expected: condition, actual });
      return { status: 'failed', error };
    }
    if (operation.kind === 'delete') {
      documents.delete(id);
      return { status: 'deleted', version: actual ?? 1 };
    }
    const reason = this.refuses(operation.source);
    if (reason !== undefined) {
      return { status: 'failed', error: documentErrors.invalid_value({ reason }) };
    }
    const version = (actual ?? 0) + 1;
    const before = stored?.meta ?? null;
    const meta = stamp === undefined ? (before ?? NO_DOCUMENT_METADATA) : stampMetadata(before, stamp);
    documents.set(id, { id, version, source: operation.source, meta });
    return { status: actual === undefined ? 'created' : 'replaced', version, meta };
  }

  private matches(name: CollectionName, query: Query): readonly StoredDocument[] {
    const documents = [...this.collection(name).documents.values()];
    return documents.filter(({ source }) => matchesQuery(query, source)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  private toOutcome(page: readonly StoredDocument[], total: number): SearchOutcome {
    const hits = page.map((document) => ({ ...document, score: 1 }));
    return { hits, total, maxScore: total === 0 ? null : 1, timedOut: false };
  }

  private index(index: string): FakeIndex {
    const found = this.indexes.get(index);
    if (found === undefined) throw storageErrors.index_not_found({ index });
    return found;
  }

  private collection(name: CollectionName): FakeCollection {
    const found = this.index(name.index).collections.get(name.collection);
    if (found === undefined) throw storageErrors.collection_not_found(name);
    return found;
  }
}

function matchesQuery(query: Query, source: JsonObject): boolean {
  switch (query.kind) {
    case 'match_all':
      return true;
    case 'term':
      return source[query.field] === query.value;
    default:
      throw queryErrors.invalid({ reason: `the fake engine has no ${query.kind}` });
  }
}
