import type { CollectionName } from '@millrace/kernel';
import type { HistoryOptions } from './HistoryOptions.js';
import type { IndexFileRecord } from './IndexFiles.js';

/**
 * Document operations as columns, which are cheap to send. The operations of one segment are applied in their order.
 */
export interface WriteSegment {
  readonly type: 'write';
  readonly collectionNumbers: number[];
  readonly ids: string[];
  /** The source as JSON text, null for a delete. */
  readonly jsons: (string | null)[];
  /** A version, or a value of `CONDITION`. */
  readonly conditions: number[];
  /** Author and time of the writes, in stored form. Empty: no metadata is kept. */
  readonly stamps: string[];
  /** The position of the first operation of each stamp, ascending, beginning with 0. */
  readonly stampStarts: number[];
  /** The requests that made the writes, see formatCursor.ts; in runs as `stamps`. */
  readonly origins: string[];
  readonly originStarts: number[];
  /** By position: the version of a document that is copied; its stamp is its whole metadata. Absent: there is none. */
  copies?: Map<number, number>;
}

/** The readers of a collection, which determine the data that the writer keeps for them. */
export interface CollectionUse {
  /** Deletions are written to gone_<k>: the search index is loaded. */
  readonly tombstones: boolean;
  /** Deleted rows are kept in old_<k>: a cursor is open. */
  readonly retained: boolean;
  /** The tables are kept even after a truncate: a cursor or a scan is open. */
  readonly held: boolean;
}

/** One task of the writer. Entries are applied and answered in the order they are sent. */
export type WriterEntry =
  | WriteSegment
  | { readonly type: 'createIndex'; readonly index: string }
  | { readonly type: 'deleteIndex'; readonly index: string }
  | { readonly type: 'setAutoRefresh'; readonly index: string; readonly autoRefresh: boolean }
  | {
      readonly type: 'createCollection';
      readonly index: string;
      readonly collection: string;
      readonly mapping: string;
    }
  | { readonly type: 'deleteCollection'; readonly index: string; readonly collection: string }
  | { readonly type: 'truncate'; readonly collectionNumber: number }
  | {
      readonly type: 'setMapping';
      readonly collectionNumber: number;
      readonly mapping: string;
      readonly version: number;
    }
  | ({ readonly type: 'use'; readonly collectionNumber: number } & CollectionUse)
  /** Tombstones up to this one have been read. */
  | { readonly type: 'prune'; readonly collectionNumber: number; readonly tombstoneNumber: number }
  /** The search index up to a row and a tombstone is stored in a file: later tombstones are kept from now on. */
  | ({ readonly type: 'indexStored' } & IndexFileRecord)
  /** Rebuilds the id index from the documents. */
  | { readonly type: 'reindex'; readonly collectionNumber: number }
  /** Records the changes of a collection until a time in UTC milliseconds; null: without limit. */
  | ({
      readonly type: 'cover';
      readonly until: number | null;
      /** See `ChangeLog.release`. */
      readonly client?: string;
    } & CollectionName)
  /** Keeps the recorded changes after `seq`; null: no longer. */
  | ({
      readonly type: 'pin';
      readonly holder: string;
      readonly seq: number | null;
    } & CollectionName)
  /** Removes all recorded changes of a collection. */
  | ({ readonly type: 'eraseHistory' } & CollectionName)
  /** Asks for the collections that are recorded. */
  | { readonly type: 'covers' }
  /** Answered after all earlier entries. */
  | { readonly type: 'ping' };

/** The change log when a writer opens the store. */
export interface OpenedLog {
  readonly epoch: string;
  /** The last position. */
  readonly seq: number;
  /** The collections that are recorded. */
  readonly covers: readonly CollectionName[];
}

/** Result of an entry. `failed`: nothing of its transaction was written. */
export type WriterAnswer =
  | {
      readonly type: 'written';
      readonly codes: readonly number[];
      readonly versions: readonly number[];
      /** By position: the metadata of each replaced document, in stored form. Absent: no document was replaced. */
      readonly replaced?: ReadonlyMap<number, string>;
      /** Positions in the change log, 0 for what is not recorded. Absent: nothing is. */
      readonly seqs?: readonly number[];
    }
  /** The number of the created collection, or of the empty one after a truncate. */
  | {
      readonly type: 'done';
      readonly collectionNumber?: number;
      /** Position in the change log of the removal of all documents, if there were some. */
      readonly wipedAt?: number | undefined;
      /** The answer to `covers`. */
      readonly covers?: readonly CollectionName[];
    }
  | {
      readonly type: 'refused';
      readonly reason:
        'index_exists' | 'index_not_found' | 'collection_exists' | 'collection_not_found' | 'tombstones_gone';
    }
  | { readonly type: 'failed'; readonly reason: string };

/** The highest row and tombstone numbers assigned in a collection. */
export interface CollectionMark {
  readonly collectionNumber: number;
  readonly rowNumber: number;
  readonly tombstoneNumber: number;
}

/** State of the file when it was opened. */
export interface OpenedStore {
  /** True if all tables and indexes were checked. */
  readonly isChecked: boolean;
  /** The damage of indexes that were rebuilt from the documents; undefined if there was none. */
  readonly repaired: string | undefined;
  /** The format of the file before an upgrade; undefined if it was not upgraded. */
  readonly formerFormat: number | undefined;
}

/** Messages from the worker: one at its start, then one per transaction. */
export type WriterMessage =
  | {
      readonly type: 'ready';
      readonly sqliteVersion: string;
      readonly opened: OpenedStore;
      readonly log: OpenedLog;
    }
  | { readonly type: 'unusable'; readonly reason: string }
  | {
      readonly type: 'answers';
      readonly answers: readonly WriterAnswer[];
      readonly marks: readonly CollectionMark[];
      /** Why writes currently fail; null if the last one succeeded. */
      readonly failure: string | null;
      /** The last position in the change log. */
      readonly seq: number;
    }
  | { readonly type: 'closed' };

/** Messages to the worker. */
export type WriterRequest =
  { readonly type: 'entries'; readonly entries: readonly WriterEntry[] } | { readonly type: 'close' };

/** Start parameters of a worker. */
export interface WriterWorkerData {
  readonly databaseFile: string;
  readonly history: HistoryOptions;
  /** Not recorded by `collections: "all"`. */
  readonly internalIndex: string;
  /** True in the first worker of the process: rows that served the threads of the last process are removed. */
  readonly isFirst: boolean;
  /** Numbers assigned by an earlier worker of this process; a later one continues above them. */
  readonly marks: readonly CollectionMark[];
  /** How many more numbers the earlier worker may have assigned without reporting them. */
  readonly unknownNumbers: number;
}
