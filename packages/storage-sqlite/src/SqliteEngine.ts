import type { Worker } from 'node:worker_threads';
import { resolve } from 'node:path';
import {
  silentLogger,
  storageErrors,
  type ChangeOrigin,
  type CollectionName,
  type CopyableEngine,
  type DocumentCopy,
  type EngineDescription,
  type EngineHealth,
  type IndexSettings,
  type Logger,
  type ReadOptions,
  type ScannedDocument,
  type Cursor,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
  type StoredDocument,
  type StoredText,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import type { Mapping, Query, SearchRequest } from '@millrace/query';
import { DEFAULT_HISTORY, type HistoryOptions } from './writer/HistoryOptions.js';
import { SqliteChangeLog } from './changeLog/SqliteChangeLog.js';
import { SqliteServices } from './SqliteServices.js';
import { readDocument, readDocuments, readDocumentText } from './documents/readDocuments.js';

/** Options of a `SqliteEngine`. */
export interface SqliteEngineOptions {
  /** Directory of the database file and its lock; created if absent. Serves one engine at a time. */
  readonly dataDir: string;
  /** Logs the death of an engine thread. Default: silent. */
  readonly logger?: Logger;
  /** Time between two checks of the whole file, in milliseconds. Default: a day. */
  readonly integrityIntervalMs?: number;
  /** What the change log records. Default: collections with subscriptions, 15 minutes, 256 MiB. */
  readonly history?: HistoryOptions;
  /** Its changes are never recorded by `history.collections: "all"`. */
  readonly internalIndex?: string;
  /** A thread that has started already with `writer.worker.js` of this package; undefined: the engine starts one. */
  readonly takeWriter?: () => Worker | undefined;
}

/** Documents that are read together: some 5 ms. */
const PAGE = { maxDocuments: 500, maxChars: 2_097_152 };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The embedded storage engine: one SQLite file, a writer thread with group commit, a search thread with its index in
 * memory, point reads on the calling thread. `StorageEngine` documents the methods.
 */
export class SqliteEngine implements CopyableEngine {
  private services: SqliteServices | undefined;
  private stateText = 'the storage engine is not started';
  private memoryPeak = 0;
  private onMoreSearches: () => void = () => undefined;

  readonly givesPositions = true;

  readonly changeLog = new SqliteChangeLog(() => this.opened());

  /** Called before documents are removed without a record of each. The removal waits, and goes on if it fails. */
  beforeWipe: (() => Promise<void>) | undefined;

  constructor(private readonly options: SqliteEngineOptions) {}

  /** Changes with the times of recent searches, and with the number of those that wait for an index. */
  get maxSearches(): number {
    return this.services?.search.maxTasks ?? 1;
  }

  watchMaxSearches(listener: () => void): void {
    this.onMoreSearches = listener;
  }

  /** @throws storage.unavailable naming the directory or file, if it is in use or damaged */
  async start(): Promise<void> {
    if (this.services !== undefined) return;
    const dataDir = resolve(this.options.dataDir);
    const {
      logger = silentLogger,
      integrityIntervalMs = DAY_MS,
      history = DEFAULT_HISTORY,
      internalIndex = '',
      takeWriter = () => undefined,
    } = this.options;
    const options = { dataDir, logger, integrityIntervalMs, history, internalIndex, takeWriter };
    const onMoreSearches = () => this.onMoreSearches();
    this.services = await SqliteServices.open({ ...options, onMoreSearches });
  }

  async stop(): Promise<void> {
    const { services } = this;
    this.services = undefined;
    this.stateText = 'the storage engine is stopped';
    await services?.close();
  }

  /** Doesn't wait for the search thread, which may be busy. */
  describe(): EngineDescription {
    const { search, writer } = this.opened();
    const { memoryUsed } = search;
    this.memoryPeak = Math.max(this.memoryPeak, memoryUsed);
    return {
      type: 'sqlite',
      version: writer.sqliteVersion,
      mode: 'embedded',
      memoryUsed,
      memoryPeak: this.memoryPeak,
    };
  }

  async ping(): Promise<void> {
    const { reader, writer } = this.opened();
    reader.ping();
    await writer.submit({ type: 'ping' });
  }

  /** Returns at once. */
  health(): EngineHealth {
    const { services, stateText } = this;
    if (services === undefined) return { state: 'down', reason: stateText };
    try {
      services.reader.ping();
    } catch {
      return { state: 'down', reason: 'the database can not be read' };
    }
    const reason = services.writer.problem ?? services.integrity.problem;
    return reason === undefined ? { state: 'up' } : { state: 'degraded', reason };
  }

  listIndexes(): readonly string[] {
    return this.opened().catalog.listIndexes();
  }

  hasIndex(index: string): boolean {
    return this.opened().catalog.hasIndex(index);
  }

  async createIndex(index: string): Promise<void> {
    await this.opened().changes.createIndex(index);
  }

  deleteIndex(index: string): Promise<Cursor | undefined> {
    return this.wipe(() => this.opened().changes.deleteIndex(index));
  }

  getIndexSettings(index: string): IndexSettings {
    return { autoRefresh: this.opened().catalog.index(index).autoRefresh };
  }

  async setIndexSettings(index: string, settings: IndexSettings): Promise<void> {
    await this.opened().changes.setIndexSettings(index, settings);
  }

  listCollections(index: string): readonly string[] {
    return [...this.opened().catalog.index(index).collections.keys()].sort();
  }

  hasCollection(name: CollectionName): boolean {
    return this.opened().catalog.find(name) !== undefined;
  }

  async createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    return this.opened().changes.createCollection(name, mapping);
  }

  deleteCollection(name: CollectionName): Promise<Cursor | undefined> {
    return this.wipe(() => this.opened().changes.deleteCollection(name));
  }

  truncate(name: CollectionName): Promise<Cursor | undefined> {
    return this.wipe(() => this.opened().changes.truncate(name));
  }

  getMapping(name: CollectionName): Mapping {
    return this.opened().catalog.collection(name).mapping.mapping;
  }

  async updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    await this.opened().changes.updateMapping(name, update);
  }

  read(name: CollectionName, id: string): StoredDocument | null {
    return readDocument(this.opened(), name, id);
  }

  readText(name: CollectionName, id: string): StoredText | null {
    return readDocumentText(this.opened(), name, id);
  }

  async readMany(
    name: CollectionName,
    ids: readonly string[],
    options?: ReadOptions,
  ): Promise<readonly (StoredDocument | null)[]> {
    return readDocuments(this.opened(), name, ids, options);
  }

  /** Every search sees all acknowledged writes, so `refresh` has no effect. */
  async write(
    operations: readonly WriteOperation[],
    _refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    return this.opened().documents.write(operations, stamp, origin);
  }

  async settled(): Promise<void> {
    await this.opened().documents.settled();
  }

  async *pages(name: CollectionName): AsyncGenerator<readonly StoredText[]> {
    const number = this.opened().catalog.find(name)?.number;
    if (number === undefined) return;
    // Without this limit it would never end while documents are changed.
    const until = this.opened().reader.lastRow(number);
    for (let after = 0; ;) {
      const { documents, last } = this.opened().reader.page(number, name, {
        ...PAGE,
        after,
        until,
      });
      if (documents.length === 0) return;
      after = last;
      yield documents;
    }
  }

  async readTexts(name: CollectionName, ids: readonly string[]): Promise<readonly (StoredText | null)[]> {
    return ids.map((id) => this.readText(name, id));
  }

  copy(copies: readonly DocumentCopy[]): Promise<readonly WriteOutcome[]> {
    return this.opened().documents.copy(copies);
  }

  /** Does nothing: see `write`. */
  async bulkLoad(): Promise<void> {
    // Searches follow the writes.
  }

  /** Does nothing: see `write`. Each collection counts as one shard. */
  async refresh(index: string): Promise<number> {
    return this.opened().catalog.index(index).collections.size;
  }

  async search(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    const { readers } = this.opened();
    return readers.run(name, (thread, collectionNumber) => thread.search(collectionNumber, request, options), options);
  }

  async count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number> {
    if (this.isForNothing(name, query)) return 0;
    const { readers } = this.opened();
    return readers.run(name, (thread, collectionNumber) => thread.count(collectionNumber, query, options), options);
  }

  async openCursor(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchCursor> {
    return this.opened().readers.openCursor(name, request, options);
  }

  async *scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncGenerator<readonly ScannedDocument[]> {
    if (this.isForNothing(name, query)) return;
    yield* this.opened().readers.scan(name, query, options);
  }

  /**
   * Whether a query for all documents addresses an empty collection. Answered without the search thread, so that a
   * server doesn't wait for its start.
   */
  private isForNothing(name: CollectionName, query: Query): boolean {
    if (query.kind !== 'match_all') return false;
    const { catalog, reader } = this.opened();
    return reader.isEmpty(catalog.collection(name).number);
  }

  /** Later writes of the same turn must not come before: it waits only if something has to be done before. */
  private async wipe(remove: () => Promise<number | undefined>): Promise<Cursor | undefined> {
    const { beforeWipe } = this;
    if (beforeWipe !== undefined) await beforeWipe().catch(() => undefined);
    return this.changeLog.cursorAt(await remove());
  }

  private opened(): SqliteServices {
    if (this.services === undefined) throw storageErrors.unavailable({ reason: this.stateText });
    return this.services;
  }
}

/** Creates the embedded engine; opens nothing before `start`. */
export function createSqliteEngine(options: SqliteEngineOptions): SqliteEngine {
  return new SqliteEngine(options);
}
