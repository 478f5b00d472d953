import type { IndexFileRecord } from '../search/stored/IndexStoring.js';

/** Document operations, as columns: cheap to send. The operations of one segment are applied in their order. */
export interface WriteSegment {
  readonly type: 'write';
  readonly ks: number[];
  readonly ids: string[];
  /** The source as JSON text, null for a delete. */
  readonly jsons: (string | null)[];
  /** A version, or a value of `CONDITION`. */
  readonly conditions: number[];
  /** Who writes and when, as it is stored. Empty: no metadata is kept. */
  readonly stamps: string[];
  /** The position of the first operation of each stamp, ascending, beginning with 0. */
  readonly stampStarts: number[];
}

/** How a collection is used by readers, which decides what the writer keeps for them. */
export interface CollectionUse {
  /** Deaths are written to gone_<k>: the search index is loaded. */
  readonly tombstones: boolean;
  /** Dying rows are kept in old_<k>: a cursor is open. */
  readonly retained: boolean;
  /** The tables stay though the collection may be truncated: a cursor or a scan is open. */
  readonly held: boolean;
}

/** One thing for the writer to do. Entries are applied and answered in the order they are sent. */
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
  | { readonly type: 'truncate'; readonly k: number }
  | {
      readonly type: 'setMapping';
      readonly k: number;
      readonly mapping: string;
      readonly version: number;
    }
  | ({ readonly type: 'use'; readonly k: number } & CollectionUse)
  /** Tombstones up to `s` have been read. */
  | { readonly type: 'prune'; readonly k: number; readonly s: number }
  /** The search index up to row `n` and tombstone `s` stands in a file: later tombstones are kept from now on. */
  | ({ readonly type: 'indexStored' } & IndexFileRecord)
  /** The index of the ids is made again from the documents. */
  | { readonly type: 'reindex'; readonly k: number }
  /** Answered when everything before it is. */
  | { readonly type: 'ping' };

/** What became of an entry. `failed`: nothing of its transaction was written. */
export type WriterAnswer =
  | {
      readonly type: 'written';
      readonly codes: readonly number[];
      readonly versions: readonly number[];
      /** By position: the metadata of each document that was replaced, as it is stored. Absent: none was. */
      readonly replaced?: ReadonlyMap<number, string>;
    }
  /** `k`: the number of the collection that was created, or that holds the documents after a truncate. */
  | { readonly type: 'done'; readonly k?: number }
  | {
      readonly type: 'refused';
      readonly reason:
        | 'index_exists'
        | 'index_not_found'
        | 'collection_exists'
        | 'collection_not_found'
        | 'tombstones_gone';
    }
  | { readonly type: 'failed'; readonly reason: string };

/** The highest `n` and `s` given out in a collection. */
export interface CollectionMark {
  readonly k: number;
  readonly n: number;
  readonly s: number;
}

/** What was found out about the file when it was opened. */
export interface OpenedStore {
  /** True where all tables and indexes were checked. */
  readonly isChecked: boolean;
  /** What was wrong with indexes that were rebuilt from the documents; undefined where nothing was. */
  readonly mended: string | undefined;
  /** The format that the file had before it was upgraded; undefined where it was not. */
  readonly formerFormat: number | undefined;
}

/** From the worker: once at its start, then once per transaction. */
export type WriterMessage =
  | { readonly type: 'ready'; readonly sqliteVersion: string; readonly opened: OpenedStore }
  | { readonly type: 'unusable'; readonly reason: string }
  | {
      readonly type: 'answers';
      readonly answers: readonly WriterAnswer[];
      readonly marks: readonly CollectionMark[];
      /** Why writes fail at present; null where the last one succeeded. */
      readonly failure: string | null;
    }
  | { readonly type: 'closed' };

/** To the worker. */
export type WriterRequest =
  | { readonly type: 'entries'; readonly entries: readonly WriterEntry[] }
  | { readonly type: 'close' };

/** How a worker is started. */
export interface WriterWorkerData {
  readonly databaseFile: string;
  /** True in the first worker of the process: what served the threads of the last process is cleared. */
  readonly isFirst: boolean;
  /** Numbers that an earlier worker of this process gave out; a later one goes on above them. */
  readonly marks: readonly CollectionMark[];
  /** How many more the earlier worker may have given out without having said so. */
  readonly unknownNumbers: number;
}
