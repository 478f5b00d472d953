import type { ItemError } from '../errors/ErrorDetails.js';
import type { RequestOptions } from '../Request.js';
import type { Document } from './Document.js';

/** Options of writes. */
export interface WriteOptions extends RequestOptions {
  /** Whether searches find the change once the promise is fulfilled. Default: about a second later. */
  readonly refresh?: 'wait_for' | boolean;
  /** Whether subscribers receive nothing; requires the permission `bulk.import`. */
  readonly silent?: boolean;
}

/** Options of writes of one document that exists. */
export interface VersionedOptions extends WriteOptions {
  /** The write is refused (409 `document.version_conflict`) if the document has another version. */
  readonly ifVersion?: number;
}

/** A document to write. */
export interface NewDocument<T> {
  /** Absent: the server makes one. */
  readonly id?: string;
  readonly source: T;
}

/** Changes of a document: objects are merged, lists and other values replaced. */
export type Changes<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Changes<T[K]> }
    : T;

/** The outcome of a write of several documents; both lists are in the order of the request. */
export interface ManyWritten<T> {
  readonly documents: readonly Document<T>[];
  readonly errors: readonly ItemError[];
}

/** The outcome of a write by query. */
export interface WrittenByQuery {
  readonly ids: readonly string[];
  readonly errors: readonly ItemError[];
}
