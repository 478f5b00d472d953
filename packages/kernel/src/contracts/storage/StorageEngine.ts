import type { Mapping, Query, SearchRequest } from '@millrace/query';
import type { InjectionToken } from 'tsyringe';
import type { JsonObject, JsonValue } from '../../json/Json.js';
import type { JsonPart } from '../../request/JsonText.js';
import type { EngineHealth } from '../runtime/EngineHealth.js';
import type { Lifecycle } from '../../lifecycle/Lifecycle.js';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { DocumentMetadata, WriteStamp } from './DocumentMetadata.js';

/** A value, or a promise where it has to be waited for. Callers on hot paths test before they await. */
export type MaybePromise<T> = T | Promise<T>;

/** Names one collection. The engine takes any name the service let through and encodes it reversibly. */
export interface CollectionName {
  readonly index: string;
  readonly collection: string;
}

/** A document as stored. `version` is 1 at creation and grows by 1 per change. */
export interface StoredDocument {
  readonly id: string;
  readonly version: number;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** A document as stored, its source as JSON text. */
export interface StoredText {
  readonly id: string;
  readonly version: number;
  /** As `JSON.stringify` writes it. */
  readonly json: string;
  readonly meta: DocumentMetadata;
}

/**
 * What must hold for a write to take place: the document is absent (else `document.already_exists`), is present (else
 * `document.not_found`), has exactly this version (else `document.not_found` or `document.version_conflict`), or nothing.
 */
export type WriteCondition = 'absent' | 'present' | 'any' | number;

/** One write. The collection must exist: else `storage.collection_not_found` as that operation's outcome. */
export type WriteOperation = CollectionName & { readonly id: string } & (
    | { readonly kind: 'put'; readonly source: JsonObject; readonly condition: WriteCondition }
    | { readonly kind: 'delete'; readonly condition: 'present' | number }
  );

/** What became of one write: done, or a registered error (409, 404, 400 for a value that does not fit, 503). */
export type WriteOutcome =
  | {
      readonly status: 'created' | 'replaced';
      readonly version: number;
      /** As it is after the write. */
      readonly meta: DocumentMetadata;
    }
  /** `version`: the last one that was stored. */
  | { readonly status: 'deleted'; readonly version: number }
  | { readonly status: 'failed'; readonly error: MillraceError };

/** How a search is run. */
export interface SearchOptions {
  /**
   * Aborted: the search is cancelled, whether it waits or runs, and rejects with query.cancelled. It may also still
   * resolve when it was nearly done. Searches for clients have one; those without are the server's own, and an engine with
   * a queue runs them first.
   */
  readonly signal?: AbortSignal | undefined;
  /** The caller sends sources on as JSON: an engine that keeps them so sets `sourceText` instead of `source`. */
  readonly prefersText?: boolean;
}

/** How documents are read. */
export interface ReadOptions {
  /** Bytes of JSON, all documents together. Above it the call rejects with query.result_too_large. Default: no limit. */
  readonly maxBytes?: number;
}

/** Largest result that an action gives, in bytes of JSON: larger ones are refused with query.result_too_large. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/** One hit. `sort` is present under a sort, `score` null where the language says so. */
export interface SearchHit {
  readonly id: string;
  readonly score: number | null;
  /** Absent where `_source` is false; filtered where the request filters it. */
  readonly source?: JsonObject;
  /** The source as `JSON.stringify` writes it, in place of `source`. Only where the caller prefers text. */
  readonly sourceText?: JsonPart;
  readonly version: number;
  readonly meta: DocumentMetadata;
  readonly sort?: readonly JsonValue[];
  readonly highlight?: JsonObject;
  readonly innerHits?: JsonObject;
}

/** The answer of an engine to a search, before the service brings it into the form of a result (SEARCH-10). */
export interface SearchOutcome {
  readonly hits: readonly SearchHit[];
  /** Exact number of documents that match. */
  readonly total: number;
  readonly maxScore: number | null;
  readonly timedOut: boolean;
  readonly aggregations?: JsonObject;
}

/** A frozen view of a search. The engine forgets it at `close`, or when the collection goes. */
export interface SearchCursor {
  /** The next `size` hits of the view; none after the end. @throws query.scroll_not_found when the collection is gone */
  next(options?: SearchOptions): Promise<SearchOutcome>;
  close(): Promise<void>;
}

/** A matching document found by `scan`: deletable on the condition that it still has this version. */
export interface ScannedDocument {
  readonly id: string;
  readonly version: number;
}

/** Settings kept with an index. */
export interface IndexSettings {
  readonly autoRefresh: boolean;
}

/** What `server.info` and health tell about an engine. */
export interface EngineDescription {
  /** `sqlite`, `elasticsearch`, … */
  readonly type: string;
  readonly version: string;
  /** How it runs, such as `embedded` or `cluster`. */
  readonly mode: string;
  /** Bytes, null where unknown. */
  readonly memoryUsed: number | null;
  readonly memoryPeak: number | null;
}

/**
 * Keeps documents, mappings and indexes, and searches them. Small on purpose: names, rights, validation, merging,
 * version rules, notifications and bulk semantics belong to the storage service above, so that engines behave alike.
 *
 * Guarantees every engine gives: a resolved write is durable; the outcomes of one `write` call stand in the order of its
 * operations, which are applied in that order; a read after a resolved write sees it; concurrent writes with the same
 * condition have one winner. Any method rejects with storage.unavailable (503) while the store can't be reached.
 * Methods that name an absent index reject with storage.index_not_found, an absent collection with
 * storage.collection_not_found, unless said otherwise.
 */
export interface StorageEngine extends Lifecycle {
  /** Searches worth running at once; further ones wait outside, where callers take fair turns. Absent: 64. */
  readonly maxSearches?: number;
  /** Whether several servers can use the same data at once: nodes of a cluster need that. Absent: false. */
  readonly isShared?: boolean;
  describe(): MaybePromise<EngineDescription>;
  /** Resolves when the store answers. @throws storage.unavailable */
  ping(): Promise<void>;
  /**
   * The state of the engine, for health: answered at once, without waiting for work that is queued. An engine without
   * it is judged by `ping`. Never rejects.
   */
  health?(): MaybePromise<EngineHealth>;

  /**
   * Another node has changed the catalog or a mapping: what is kept in memory of an index (absent: of all) is read again.
   * For engines that several nodes share.
   */
  forget?(index?: string): void;

  /** Sorted by code unit; the internal index included. */
  listIndexes(): MaybePromise<readonly string[]>;
  hasIndex(index: string): MaybePromise<boolean>;
  /** @throws storage.index_exists */
  createIndex(index: string): Promise<void>;
  /** Removes the index with its collections. */
  deleteIndex(index: string): Promise<void>;
  getIndexSettings(index: string): MaybePromise<IndexSettings>;
  setIndexSettings(index: string, settings: IndexSettings): Promise<void>;

  /** Sorted by code unit. */
  listCollections(index: string): MaybePromise<readonly string[]>;
  /** False too when the index is absent. */
  hasCollection(name: CollectionName): MaybePromise<boolean>;
  /** Creates the collection, and its index when absent; does nothing (and resolves false) when the collection exists. */
  createCollection(name: CollectionName, mapping: Mapping): Promise<boolean>;
  deleteCollection(name: CollectionName): Promise<void>;
  /** Removes every document, keeps the mapping. */
  truncate(name: CollectionName): Promise<void>;
  /** The mapping as it is now, with fields added dynamically. */
  getMapping(name: CollectionName): MaybePromise<Mapping>;
  /** Merges `update` into the mapping. @throws storage.invalid_mapping where the two contradict; nothing changes then */
  updateMapping(name: CollectionName, update: Mapping): Promise<void>;

  /** @returns the document, or null where it (or its collection) is absent */
  read(name: CollectionName, id: string): MaybePromise<StoredDocument | null>;
  /**
   * The same without parsing, for documents that are sent on as they are. Only engines have it that keep JSON text of their
   * own making.
   */
  readText?(name: CollectionName, id: string): MaybePromise<StoredText | null>;
  /** The documents in the order of `ids`, null for absent ones. */
  readMany(
    name: CollectionName,
    ids: readonly string[],
    options?: ReadOptions,
  ): MaybePromise<readonly (StoredDocument | null)[]>;
  /**
   * Applies the operations in their order. Checks each source against the mapping (400 as that operation's outcome),
   * adding dynamic fields. Each outcome stands for itself; the call rejects only when nothing of it was written.
   * @param refresh `true`: resolve when searches see the writes
   * @param stamp what the metadata of the documents is made from; absent: new documents get none, others keep what they have
   */
  write(
    operations: readonly WriteOperation[],
    refresh: boolean,
    stamp?: WriteStamp,
  ): Promise<readonly WriteOutcome[]>;
  /** Makes all acknowledged writes of the index visible to searches. Resolves with the number of shards refreshed. */
  refresh(index: string): Promise<number>;

  /**
   * @throws query.invalid where the request does not fit the mapping or uses what this engine can't do (400);
   *   query.result_too_large where the hits have more than `MAX_RESULT_BYTES` (400); query.cancelled
   */
  search(
    name: CollectionName,
    request: SearchRequest,
    options?: SearchOptions,
  ): Promise<SearchOutcome>;
  /** @throws query.invalid (400), query.cancelled */
  count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number>;
  /**
   * Opens a frozen view; its pages have `request.size` hits. The first page carries the aggregations. Throws as `search`;
   * a page that was cancelled or is too large can be asked for again.
   */
  openCursor(
    name: CollectionName,
    request: SearchRequest,
    options?: SearchOptions,
  ): Promise<SearchCursor>;
  /**
   * All documents that match at one moment, in batches of at most 1,000, without window limit. The signal cancels the
   * search until its first batch is given; afterwards the caller may leave the loop.
   */
  scan(
    name: CollectionName,
    query: Query,
    options?: SearchOptions,
  ): AsyncIterable<readonly ScannedDocument[]>;
}

/** The engine that the composition chose by configuration (`storage.engine`). */
export const STORAGE_ENGINE: InjectionToken<StorageEngine> = Symbol.for('millrace.StorageEngine');
