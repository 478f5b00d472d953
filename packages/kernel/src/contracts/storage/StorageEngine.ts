import type { Mapping, Query, SearchRequest } from '@millrace/query';
import type { InjectionToken } from 'tsyringe';
import type { JsonObject, JsonValue } from '../../json/Json.js';
import type { JsonPart } from '../../json/JsonText.js';
import type { Lifetime } from '../request/Lifetime.js';
import type { EngineHealth } from '../runtime/EngineHealth.js';
import type { Lifecycle } from '../runtime/Lifecycle.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { ChangeOrigin } from '../realtime/DocumentListeners.js';
import type { ChangeLog, Cursor } from './ChangeLog.js';
import type { DocumentMetadata, WriteStamp } from './DocumentMetadata.js';

/** The name of one collection. The engine accepts any name that the service has validated and encodes it reversibly. */
export interface CollectionName {
  readonly index: string;
  readonly collection: string;
}

/** A stored document. `version` is 1 at creation and grows by 1 with each change. */
export interface StoredDocument {
  readonly id: string;
  readonly version: number;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** A stored document with its source as JSON text. */
export interface StoredText {
  readonly id: string;
  readonly version: number;
  /** As `JSON.stringify` writes it. */
  readonly json: string;
  readonly meta: DocumentMetadata;
}

/**
 * The condition of a write: the document is absent (else `document.already_exists`), is present (else
 * `document.not_found`), has exactly this version (else `document.not_found` or `document.version_conflict`), or no
 * condition.
 */
export type WriteCondition = 'absent' | 'present' | 'any' | number;

/** One write. If the collection doesn't exist, the outcome of the operation is `storage.collection_not_found`. */
export type WriteOperation = CollectionName & {
  readonly id: string;
  /**
   * The document before the write (null: absent), if the caller has read it and the write succeeds only on it. Only for
   * engines whose change log passes changes on, which have to read it otherwise.
   */
  readonly known?: StoredDocument | null;
} & (
    | { readonly kind: 'put'; readonly source: JsonObject; readonly condition: WriteCondition }
    | { readonly kind: 'delete'; readonly condition: 'present' | number }
  );

/** The outcome of one write: success, or a registered error (409, 404, 400 for an invalid value, 503). */
export type WriteOutcome =
  | {
      readonly status: 'created' | 'replaced';
      readonly version: number;
      /** The metadata after the write. */
      readonly meta: DocumentMetadata;
      /** Position of the change in the change log; absent if it isn't recorded. */
      readonly cursor?: Cursor;
      /** The change log passes the change on to subscribers. */
      readonly isPassedOn?: true;
    }
  /** `version`: the last stored one. */
  | {
      readonly status: 'deleted';
      readonly version: number;
      readonly cursor?: Cursor;
      readonly isPassedOn?: true;
    }
  | { readonly status: 'failed'; readonly error: MillraceError };

/** Options of a search. */
export interface SearchOptions {
  /**
   * When aborted, the search is cancelled, whether it waits or runs, and rejects with query.cancelled. It may still
   * resolve if it was nearly complete. Searches for clients have a signal; those without one are internal, and an
   * engine with a queue runs them first.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The same as `signal`, which is then created on first access: for engines that only need a callback. A search with
   * either of them is for a client.
   */
  readonly lifetime?: Pick<Lifetime, 'isClosed' | 'onClosed'> | undefined;
  /** The caller forwards sources as JSON: an engine that stores them as text sets `sourceText` instead of `source`. */
  readonly prefersText?: boolean;
  /**
   * The caller forwards all hits as JSON, of a collection with this name: an engine that can write them sets `hitsText`
   * instead of `hits`, and `aggregationsText` instead of `aggregations`. Not used for cursors.
   */
  readonly wireName?: CollectionName | undefined;
  /** The caller needs `position`. Only for engines with `givesPositions`. */
  readonly wantsPosition?: boolean;
}

/** Options of reading documents. */
export interface ReadOptions {
  /**
   * Limit in bytes of JSON for all documents together, beyond which the call rejects with query.result_too_large.
   * Default: no limit.
   */
  readonly maxBytes?: number;
}

/** Largest result of an action, in bytes of JSON: larger ones are refused with query.result_too_large. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/** One hit. `sort` is present for sorted searches; `score` is null where the query language says so. */
export interface SearchHit {
  readonly id: string;
  readonly score: number | null;
  /** Absent if `_source` is false; filtered if the request filters it. */
  readonly source?: JsonObject;
  /** The source as `JSON.stringify` writes it, instead of `source`. Only if the caller prefers text. */
  readonly sourceText?: JsonPart;
  readonly version: number;
  readonly meta: DocumentMetadata;
  readonly sort?: readonly JsonValue[];
  readonly highlight?: JsonObject;
  readonly innerHits?: JsonObject;
}

/** An engine's answer to a search, before the service builds the result from it (SEARCH-10). */
export interface SearchOutcome {
  /** Empty if there is `hitsText`. */
  readonly hits: readonly SearchHit[];
  /** The list of hits as clients receive it (SEARCH-10), as JSON. Only if the caller gave a `wireName`. */
  readonly hitsText?: JsonPart;
  /** Exact number of matching documents. */
  readonly total: number;
  readonly maxScore: number | null;
  readonly timedOut: boolean;
  readonly aggregations?: JsonObject;
  /** The aggregations as JSON, instead of `aggregations`. Only with `hitsText`. */
  readonly aggregationsText?: string;
  /** The outcome contains the recorded changes up to this position of the change log, and no later one. If wanted. */
  readonly position?: Cursor;
}

/** A frozen view of a search. The engine releases it at `close`, or when the collection is deleted. */
export interface SearchCursor {
  /**
   * The next `size` hits of the view; none after the last one. @throws query.scroll_not_found if the collection was
   * deleted
   */
  next(options?: SearchOptions): Promise<SearchOutcome>;
  close(): Promise<void>;
}

/** A matching document found by `scan`; its version is the condition for deleting it. */
export interface ScannedDocument {
  readonly id: string;
  readonly version: number;
}

/** Settings stored with an index. */
export interface IndexSettings {
  readonly autoRefresh: boolean;
}

/** The description of an engine in `server.info` and health checks. */
export interface EngineDescription {
  /** `sqlite`, `elasticsearch`, … */
  readonly type: string;
  readonly version: string;
  /** Its mode of operation, such as `embedded` or `cluster`. */
  readonly mode: string;
  /** Bytes, null if unknown. */
  readonly memoryUsed: number | null;
  readonly memoryPeak: number | null;
}

/**
 * Stores documents, mappings and indexes, and searches them. Small on purpose: the storage service above handles names,
 * permissions, validation, merging, version rules, notifications and bulk semantics, so that all engines behave alike.
 *
 * Guarantees of every engine: a resolved write is durable; `write` applies its operations in order and returns the
 * outcomes in the same order; a read after a resolved write sees it; of concurrent writes with the same condition, one
 * wins. Any method rejects with storage.unavailable (503) while the store can't be reached. Methods that name an absent
 * index reject with storage.index_not_found, an absent collection with storage.collection_not_found, unless documented
 * otherwise.
 */
export interface StorageEngine extends Lifecycle {
  /**
   * Number of searches worth running concurrently; more wait in a fair queue outside the engine. Read for each search:
   * it may change. Absent: 64.
   */
  readonly maxSearches?: number;
  /** @param listener called when `maxSearches` has increased although no search has ended */
  watchMaxSearches?(listener: () => void): void;
  /** Whether several servers can use the same data at once, which a cluster requires. Absent: false. */
  readonly isShared?: boolean;
  /** Whether searches can tell their position in the change log. Absent: false. */
  readonly givesPositions?: boolean;
  /** The log of changes for subscriptions that resume; absent if the engine has none. */
  readonly changeLog?: ChangeLog;
  describe(): MaybePromise<EngineDescription>;
  /** Resolves when the store answers. @throws storage.unavailable */
  ping(): Promise<void>;
  /**
   * The state of the engine for health checks, without waiting for queued work. An engine without this method is judged
   * by `ping`. Never rejects.
   */
  health?(): MaybePromise<EngineHealth>;

  /**
   * Another node has changed the catalog or a mapping: drops the cache of an index (absent: of all indexes). For
   * engines that several nodes share.
   */
  forget?(index?: string): void;

  /** Sorted by code unit; includes the internal index. */
  listIndexes(): MaybePromise<readonly string[]>;
  hasIndex(index: string): MaybePromise<boolean>;
  /** @throws storage.index_exists */
  createIndex(index: string): Promise<void>;
  /** Deletes the index with its collections. @returns see `truncate` */
  deleteIndex(index: string, origin?: ChangeOrigin | null): Promise<Cursor | undefined | void>;
  getIndexSettings(index: string): MaybePromise<IndexSettings>;
  setIndexSettings(index: string, settings: IndexSettings): Promise<void>;

  /** Sorted by code unit. */
  listCollections(index: string): MaybePromise<readonly string[]>;
  /** Also false if the index is absent. */
  hasCollection(name: CollectionName): MaybePromise<boolean>;
  /** Creates the collection, and its index if absent; does nothing (and resolves false) if the collection exists. */
  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean>;
  /** @returns see `truncate` */
  deleteCollection(name: CollectionName, origin?: ChangeOrigin | null): Promise<Cursor | undefined | void>;
  /**
   * Removes every document and keeps the mapping.
   * @param origin null: subscribers are not notified
   * @returns the position of the removal in the change log, if there were documents and it is recorded
   */
  truncate(name: CollectionName, origin?: ChangeOrigin | null): Promise<Cursor | undefined | void>;
  /** The current mapping, including dynamically added fields. */
  getMapping(name: CollectionName): MaybePromise<Mapping>;
  /**
   * Merges `update` into the mapping. @throws storage.invalid_mapping if the two contradict each other; nothing is
   * changed then
   */
  updateMapping(name: CollectionName, update: Mapping): Promise<void>;

  /** @returns the document, or null if it (or its collection) is absent */
  read(name: CollectionName, id: string): MaybePromise<StoredDocument | null>;
  /**
   * As `read`, without parsing, for documents that are forwarded unchanged. Only for engines that store JSON text
   * written by themselves.
   */
  readonly readText?: ((name: CollectionName, id: string) => MaybePromise<StoredText | null>) | undefined;
  /** The documents in the order of `ids`, null for absent ones. */
  readMany(
    name: CollectionName,
    ids: readonly string[],
    options?: ReadOptions,
  ): MaybePromise<readonly (StoredDocument | null)[]>;
  /**
   * Applies the operations in order. Checks each source against the mapping (a mismatch is the operation's outcome,
   * 400) and adds dynamic fields. The outcomes are independent; the call rejects only if nothing was written.
   * @param refresh `true`: resolve when searches see the writes
   * @param stamp source of the documents' metadata; absent: new documents get none, others keep theirs
   * @param origin for the change log: the request, null for a silent write; absent: not known
   */
  write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
    origin?: ChangeOrigin | null,
  ): Promise<readonly WriteOutcome[]>;
  /** Makes all acknowledged writes of the index visible to searches. Resolves with the number of refreshed shards. */
  refresh(index: string): Promise<number>;

  /**
   * @throws query.invalid (400) if the request doesn't fit the mapping or needs a feature that this engine lacks;
   *   query.result_too_large (400) if the hits exceed `MAX_RESULT_BYTES`; query.cancelled
   */
  search(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome>;
  /** @throws query.invalid (400), query.cancelled */
  count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number>;
  /**
   * Opens a frozen view with pages of `request.size` hits. The first page contains the aggregations. Throws as
   * `search`; a page that was cancelled or too large can be requested again.
   */
  openCursor(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchCursor>;
  /**
   * All documents that match at one moment, in batches of at most 1,000, without a window limit. The signal cancels the
   * search until its first batch is returned; after that, the caller may leave the loop.
   */
  scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncIterable<readonly ScannedDocument[]>;
}

/** A document as it is stored, for another engine; null: there is none. */
export interface DocumentCopy extends CollectionName {
  readonly id: string;
  readonly document: StoredText | null;
}

/** An engine whose documents can be copied to another engine, with their versions and metadata. */
export interface CopyableEngine extends StorageEngine {
  /** All documents that stay unchanged meanwhile; those that are changed may be missing. */
  pages(name: CollectionName): AsyncIterable<readonly StoredText[]>;
  /** The documents in the order of `ids`, null for absent ones. */
  readTexts(name: CollectionName, ids: readonly string[]): Promise<readonly (StoredText | null)[]>;
  /**
   * Stores documents as they are, whatever is stored under their ids. The outcomes are in the order of `copies`; the
   * deletion of an absent document fails, with document.not_found.
   * @throws storage.unavailable if none could be stored
   */
  copy(copies: readonly DocumentCopy[]): Promise<readonly WriteOutcome[]>;
  /** Resolves when all changes of documents and of the catalog that have begun have ended. */
  settled(): Promise<void>;
  /**
   * Begins or ends a time of many copies, in which searches of collections that are created meanwhile find documents
   * only after `refresh`.
   * @throws storage.unavailable
   */
  bulkLoad(isOn: boolean): Promise<void>;
}

/** The engine that the configuration selects (`storage.engine`). */
export const STORAGE_ENGINE: InjectionToken<StorageEngine> = Symbol.for('millrace.StorageEngine');
