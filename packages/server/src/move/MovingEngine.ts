import type {
  ChangeOrigin,
  CollectionName,
  CopyableEngine,
  Cursor,
  EngineDescription,
  EngineHealth,
  IndexSettings,
  MaybePromise,
  ReadOptions,
  ScannedDocument,
  SearchCursor,
  SearchOptions,
  SearchOutcome,
  StorageEngine,
  StoredDocument,
  WriteOperation,
  WriteOutcome,
  WriteStamp,
} from '@millrace/kernel';
import type { Mapping, Query, SearchRequest } from '@millrace/query';
import type { SqliteEngine } from '@millrace/storage-sqlite';
import { AnswersInOrder } from './AnswersInOrder.js';
import type { WritingEngine } from './WritingEngine.js';

/**
 * The embedded engine, or Elasticsearch in its place once the data has moved there. The change log is always that of the
 * embedded engine.
 */
export class MovingEngine implements StorageEngine {
  readonly givesPositions = true;
  private readonly embeddedText: StorageEngine['readText'];
  private textReader: StorageEngine['readText'];
  private reader: StorageEngine;
  private writer: WritingEngine;
  /** Undefined until the first move: the embedded engine alone answers in order. */
  private answers: AnswersInOrder | undefined;

  constructor(readonly embedded: SqliteEngine) {
    this.reader = embedded;
    this.writer = embedded;
    this.embeddedText = (name, id) => embedded.readText(name, id);
    this.textReader = this.embeddedText;
  }

  /** Answers with the embedded engine, writes with `writer`. */
  stay(writer: WritingEngine = this.embedded): void {
    this.reader = this.embedded;
    this.textReader = this.embeddedText;
    this.writer = writer;
    this.answers ??= new AnswersInOrder();
  }

  /** Answers with Elasticsearch. */
  switchTo(elasticsearch: CopyableEngine, writer: WritingEngine): void {
    this.reader = elasticsearch;
    this.textReader = undefined;
    this.writer = writer;
    this.answers ??= new AnswersInOrder();
  }

  get maxSearches(): number {
    return this.embedded.maxSearches;
  }

  watchMaxSearches(listener: () => void): void {
    this.embedded.watchMaxSearches(listener);
  }

  get changeLog(): SqliteEngine['changeLog'] {
    return this.embedded.changeLog;
  }

  /** Elasticsearch has none. */
  get readText(): StorageEngine['readText'] {
    return this.textReader;
  }

  start(): Promise<void> {
    return this.embedded.start();
  }

  stop(): Promise<void> {
    return this.embedded.stop();
  }

  describe(): MaybePromise<EngineDescription> {
    return this.reader.describe();
  }

  ping(): Promise<void> {
    return this.reader.ping();
  }

  health(): MaybePromise<EngineHealth> {
    const health = this.embedded.health();
    if (this.reader === this.embedded || health.state === 'down') return health;
    return this.reader.ping().then(
      () => health,
      () => ({ state: 'down', reason: 'Elasticsearch does not answer' }),
    );
  }

  listIndexes(): MaybePromise<readonly string[]> {
    return this.reader.listIndexes();
  }

  hasIndex(index: string): MaybePromise<boolean> {
    return this.reader.hasIndex(index);
  }

  createIndex(index: string): Promise<void> {
    return this.writer.createIndex(index);
  }

  deleteIndex(index: string, origin?: ChangeOrigin | null) {
    return this.inOrder(this.writer.deleteIndex(index, origin), (cursor) => cursor ?? undefined);
  }

  getIndexSettings(index: string): MaybePromise<IndexSettings> {
    return this.reader.getIndexSettings(index);
  }

  setIndexSettings(index: string, settings: IndexSettings): Promise<void> {
    return this.writer.setIndexSettings(index, settings);
  }

  listCollections(index: string): MaybePromise<readonly string[]> {
    return this.reader.listCollections(index);
  }

  hasCollection(name: CollectionName): MaybePromise<boolean> {
    return this.reader.hasCollection(name);
  }

  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean> {
    return this.writer.createCollection(name, mapping);
  }

  deleteCollection(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.inOrder(this.writer.deleteCollection(name, origin), (cursor) => cursor ?? undefined);
  }

  truncate(name: CollectionName, origin?: ChangeOrigin | null) {
    return this.inOrder(this.writer.truncate(name, origin), (cursor) => cursor ?? undefined);
  }

  getMapping(name: CollectionName): MaybePromise<Mapping> {
    return this.reader.getMapping(name);
  }

  updateMapping(name: CollectionName, update: Mapping): Promise<void> {
    return this.writer.updateMapping(name, update);
  }

  read(name: CollectionName, id: string): MaybePromise<StoredDocument | null> {
    return this.reader.read(name, id);
  }

  readMany(name: CollectionName, ids: readonly string[], options?: ReadOptions) {
    return this.reader.readMany(name, ids, options);
  }

  write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]> {
    return this.inOrder(this.writer.write(operations, refresh, stamp, origin), cursorOf);
  }

  refresh(index: string): Promise<number> {
    return this.reader.refresh(index);
  }

  /** Only the embedded engine knows the position of an outcome in its log. */
  search(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    const engine = options?.wantsPosition === true ? this.embedded : this.reader;
    return engine.search(name, request, options);
  }

  count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number> {
    return this.reader.count(name, query, options);
  }

  openCursor(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchCursor> {
    return this.reader.openCursor(name, request, options);
  }

  scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncIterable<readonly ScannedDocument[]> {
    return this.reader.scan(name, query, options);
  }

  private inOrder<T>(work: Promise<T>, cursorOf: (result: T) => Cursor | undefined): Promise<T> {
    return this.answers?.after(work, cursorOf) ?? work;
  }
}

/** Of the first change of a write. */
function cursorOf(outcomes: readonly WriteOutcome[]): Cursor | undefined {
  for (const outcome of outcomes) {
    if ('cursor' in outcome && outcome.cursor !== undefined) return outcome.cursor;
  }
  return undefined;
}
