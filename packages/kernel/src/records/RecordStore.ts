/*
 * The server's own data: JSON records in collections of the internal index, which no request can access and to which
 * the rules for documents don't apply. One class does for all kinds of records what an engine leaves to its callers:
 * collections that don't exist yet, conditions that don't hold, caching. A kind describes one collection; a subclass
 * adds the operations of its domain.
 *
 * A collection is created at its first write (or by `ensure`), and an absent one is empty.
 */
import type { Mapping, Query, SearchRequest } from '@millrace/query';
import { isCollectionAbsent } from '../contracts/storage/isCollectionAbsent.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type {
  CollectionName,
  ReadOptions,
  SearchHit,
  SearchOptions,
  SearchOutcome,
  StorageEngine,
  StoredDocument,
  WriteCondition,
  WriteOperation,
  WriteOutcome,
} from '../contracts/storage/StorageEngine.js';
import type { JsonObject } from '../json/Json.js';
import { andThen } from '../concurrency/andThen.js';
import { RecordCache } from './RecordCache.js';
import type { RecordPlace } from './RECORD_PLACE.js';

/** One kind of records. `T` is a record as it is read, `W` as it is written. */
export interface RecordKind<T, W = T> {
  readonly collection: string;
  /** Of the collection when it is created. */
  readonly mapping: Mapping;
  /**
   * @returns null for a document to treat as absent
   * @throws storage.corrupt for one that fails the operation
   */
  readonly parse: (document: StoredDocument, name: CollectionName) => T | null;
  readonly toSource: (record: W) => JsonObject;
  /** Whether a record can have this id; others are absent without a read. Default: all. */
  readonly isId?: (id: string) => boolean;
  /** Keeps records in memory: see `RecordCache`. */
  readonly cached?: {
    readonly maxCount: number;
    /** The part of a record that has no other bound. */
    readonly contentOf: (record: T) => unknown;
  };
}

/** The outcome of a write that succeeded. */
export type WrittenOutcome = Exclude<WriteOutcome, { readonly status: 'failed' }>;

/** The outcome of a search, with the records of the hits that have a source. */
export interface FoundRecords<T> extends SearchOutcome {
  readonly records: readonly T[];
}

/** The records of one kind. Every method rejects with storage.unavailable (503) while the store can't be reached. */
export class RecordStore<T, W = T> {
  /** The collection of the records. */
  readonly name: CollectionName;
  private readonly cache: RecordCache<T> | undefined;

  constructor(
    protected readonly place: RecordPlace,
    private readonly kind: RecordKind<T, W>,
  ) {
    const { collection, cached } = kind;
    this.name = { index: place.index, collection };
    this.cache = cached && new RecordCache(cached.maxCount, (id) => this.load(id), cached.contentOf);
  }

  /** Creates the collection if it is absent: for those that are used on every server. */
  async ensure(): Promise<void> {
    const { engine, name } = this;
    if (!(await engine.hasCollection(name))) await engine.createCollection(name, this.kind.mapping);
  }

  /** The record, if it is cached. */
  known(id: string): T | undefined {
    return this.cache?.known(id);
  }

  /** Returns a value if the record is cached. */
  find(id: string): MaybePromise<T | null> {
    return this.cache === undefined ? this.load(id) : this.cache.get(id);
  }

  /** The record as it is stored now. */
  reload(id: string): MaybePromise<T | null> {
    return this.cache === undefined ? this.load(id) : this.cache.reload(id);
  }

  /** The existing records, in the order of `ids`, from the storage. @throws query.result_too_large (400) */
  async readMany(ids: readonly string[], options?: ReadOptions): Promise<readonly T[]> {
    const { isId } = this.kind;
    const documents = await this.engine.readMany(this.name, isId === undefined ? ids : ids.filter(isId), options);
    return this.parseAll(documents);
  }

  /**
   * @param refresh false: searches may see the write later
   * @throws document.already_exists, document.version_conflict (409), document.not_found (404), by the condition
   */
  async put(id: string, record: W, condition: WriteCondition, refresh = true): Promise<WrittenOutcome> {
    return written(await this.writeOne(this.putOperation(id, record, condition), refresh));
  }

  /** As `put`. @returns null if the condition doesn't hold, such as if another node was faster */
  async tryPut(id: string, record: W, condition: WriteCondition, refresh = true): Promise<WrittenOutcome | null> {
    return unlessLost(await this.writeOne(this.putOperation(id, record, condition), refresh));
  }

  /**
   * @param condition a version: only that one
   * @returns false if the record didn't exist, or had another version
   */
  async delete(id: string, condition: 'present' | number = 'present', refresh = true): Promise<boolean> {
    return unlessLost(await this.writeOne(this.deleteOperation(id, condition), refresh)) !== null;
  }

  /** Deletes those that exist. */
  async deleteMany(ids: readonly string[]): Promise<void> {
    const operations = ids.map((id) => this.deleteOperation(id));
    for (const outcome of await this.write(operations)) unlessLost(outcome);
  }

  putOperation(id: string, record: W, condition: WriteCondition): WriteOperation {
    return { ...this.name, kind: 'put', id, source: this.kind.toSource(record), condition };
  }

  deleteOperation(id: string, condition: 'present' | number = 'present'): WriteOperation {
    return { ...this.name, kind: 'delete', id, condition };
  }

  /** Applies operations of this store in one call of the engine. Drops no cached records. */
  async write(operations: readonly WriteOperation[], refresh = true): Promise<readonly WriteOutcome[]> {
    const { engine, name } = this;
    const outcomes = await engine.write(operations, refresh);
    const isAbsent = outcomes.some((outcome) => outcome.status === 'failed' && isCollectionAbsent(outcome.error));
    if (!isAbsent || operations.every(({ kind }) => kind === 'delete')) return outcomes;
    await engine.createCollection(name, this.kind.mapping);
    return engine.write(operations, refresh);
  }

  /** Throws as `StorageEngine.search`. */
  async search(request: SearchRequest, options?: SearchOptions): Promise<FoundRecords<T>> {
    try {
      const outcome = await this.engine.search(this.name, request, options);
      return { ...outcome, records: this.parseAll(outcome.hits.filter(hasSource)) };
    } catch (error) {
      if (!isCollectionAbsent(error)) throw error;
      return { hits: [], records: [], total: 0, maxScore: null, timedOut: false };
    }
  }

  /** @throws storage.collection_not_found (404) */
  count(query: Query): Promise<number> {
    return this.engine.count(this.name, query);
  }

  /** Ids of all records that match at one moment, in batches. */
  async *scanIds(query: Query): AsyncIterable<readonly string[]> {
    for await (const batch of this.matches(query)) yield batch.map(({ id }) => id);
  }

  /** All records that match at one moment, as they are when they are read. */
  async *scan(query: Query): AsyncIterable<T> {
    for await (const ids of this.scanIds(query)) yield* await this.readMany(ids);
  }

  /** Deletes those that match, unless they are changed meanwhile. Searches may see it later. */
  async sweep(query: Query): Promise<void> {
    for await (const batch of this.matches(query)) {
      const operations = batch.map(({ id, version }) => this.deleteOperation(id, version));
      await this.write(operations, false);
    }
  }

  /** Drops a cached record that another node has changed. */
  drop(id: string): void {
    this.cache?.drop(id);
  }

  dropAll(): void {
    this.cache?.dropAll();
  }

  protected get engine(): StorageEngine {
    return this.place.engine;
  }

  private load(id: string): MaybePromise<T | null> {
    if (this.kind.isId?.(id) === false) return null;
    return andThen(this.engine.read(this.name, id), (document) => document && this.kind.parse(document, this.name));
  }

  private parseAll(documents: readonly (StoredDocument | null)[]): readonly T[] {
    const records = documents.map((document) => document && this.kind.parse(document, this.name));
    return records.filter((record) => record !== null);
  }

  private async writeOne(operation: WriteOperation, refresh: boolean): Promise<WriteOutcome | undefined> {
    try {
      return (await this.write([operation], refresh))[0];
    } finally {
      this.drop(operation.id);
    }
  }

  private async *matches(query: Query) {
    try {
      yield* this.engine.scan(this.name, query);
    } catch (error) {
      if (!isCollectionAbsent(error)) throw error;
    }
  }
}

/** @throws the error of a write that failed */
export function written(outcome: WriteOutcome | undefined): WrittenOutcome {
  if (outcome === undefined) throw new Error('the engine gave no outcome');
  if (outcome.status === 'failed') throw outcome.error;
  return outcome;
}

/** @returns null for a write whose condition didn't hold @throws the error of one that failed otherwise */
function unlessLost(outcome: WriteOutcome | undefined): WrittenOutcome | null {
  const isLost = outcome?.status === 'failed' && (outcome.error.status === 404 || outcome.error.status === 409);
  return isLost ? null : written(outcome);
}

function hasSource(hit: SearchHit): hit is SearchHit & StoredDocument {
  return hit.source !== undefined;
}
