import type { CollectionName } from '@millrace/kernel';
import type { Query, SearchRequest } from '@millrace/query';
import type { WrittenOutcome } from '@millrace/search';
import type { IndexFileRecord } from '../writer/IndexFiles.js';

/** Tasks of the search worker. */
export type SearchTask =
  | {
      readonly type: 'search';
      readonly collectionNumber: number;
      readonly request: SearchRequest;
      readonly wantsPosition?: boolean;
      /** Writes hits as clients receive them, of a collection with this name. */
      readonly wireName?: CollectionName | undefined;
    }
  | { readonly type: 'count'; readonly collectionNumber: number; readonly query: Query }
  | {
      readonly type: 'openCursor';
      readonly collectionNumber: number;
      readonly cursor: number;
      readonly request: SearchRequest;
    }
  | { readonly type: 'nextPage'; readonly cursor: number }
  | {
      readonly type: 'openScan';
      readonly collectionNumber: number;
      readonly scan: number;
      readonly query: Query;
    }
  | { readonly type: 'nextBatch'; readonly scan: number };

/** Messages to the worker. A task in a slot gets a response for that slot; other messages get none. */
export type ToSearchWorker =
  | { readonly type: 'task'; readonly slot: number; readonly task: SearchTask }
  | { readonly type: 'closeCursor'; readonly cursor: number }
  | { readonly type: 'closeScan'; readonly scan: number }
  | { readonly type: 'changed'; readonly collectionNumber: number }
  /** The collection will be searched: its index is built in idle time. */
  | { readonly type: 'warm'; readonly collectionNumber: number }
  | {
      readonly type: 'recorded';
      readonly record: IndexFileRecord;
      readonly isRecorded: boolean;
    }
  | { readonly type: 'drop'; readonly collectionNumber: number }
  | { readonly type: 'stop' };

/** Why a task failed, as plain data. */
export type SearchFailure =
  | { readonly kind: 'invalid' | 'forbidden' | 'window_too_large'; readonly message: string }
  | { readonly kind: 'no_cursor' | 'cancelled' | 'result_too_large' }
  | {
      readonly kind: 'corrupt';
      readonly index: string;
      readonly collection: string;
      readonly id: string;
    }
  | { readonly kind: 'unavailable'; readonly message: string };

/** Messages from the worker. */
export type FromSearchWorker =
  | { readonly type: 'ready' }
  /** `ms`: time that the task took. */
  | {
      readonly type: 'result';
      readonly slot: number;
      readonly ms: number;
      readonly result: WrittenOutcome;
    }
  | {
      readonly type: 'failed';
      readonly slot: number;
      readonly ms: number;
      readonly failure: SearchFailure;
    }
  /** The task waits for the index of its collection, while other tasks run. */
  | { readonly type: 'deferred'; readonly slot: number }
  /** Bytes of its heap and its buffers, reported now and then. */
  | { readonly type: 'memory'; readonly bytes: number }
  /** Tombstones of the collection up to this one have been read. */
  | {
      readonly type: 'caughtUp';
      readonly collectionNumber: number;
      readonly tombstoneNumber: number;
    }
  /** An index was stored; its record must be written to the database. */
  | { readonly type: 'stored'; readonly record: IndexFileRecord };

/** Start parameters of the worker. */
export interface SearchWorkerData {
  readonly databaseFile: string;
  /** Memory of `CancelFlags`. */
  readonly flags: SharedArrayBuffer;
  /** Maximum size of a result, in bytes. */
  readonly maxResultBytes: number;
}
