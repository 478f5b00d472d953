import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { Request } from '../request/Request.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { CollectionName } from './StorageEngine.js';

/** One document that is about to be written, as `document.beforeWrite` sees it. */
export interface PendingWrite extends CollectionName {
  readonly id: string;
  /** The stored content that the write replaces or deletes; null for a creation. */
  readonly before: JsonObject | null;
  /** The whole content to store, with an update already merged in; null for a deletion. */
  readonly after: JsonObject | null;
  /** `controller.action` of the request: `document.create`, `document.mUpdate`, `bulk.import`, … */
  readonly action: string;
  readonly request: Request;
}

/** One document that has been written, as `document.afterWrite` sees it. `before` and `after` are never both null. */
export interface CommittedWrite extends PendingWrite {
  /** Version of the document after the write; for a deletion, of the deleted one. */
  readonly version: number;
}

/** All documents of a collection were removed at once. */
export interface Emptying {
  readonly index: string;
  /** Null if the whole index was deleted. */
  readonly collection: string | null;
  /** `controller.action` of the request: `collection.truncate`, `collection.delete`, `index.delete`, `index.mDelete`. */
  readonly action: string;
  readonly request: Request;
}

/**
 * The plugins that observe documents, as the storage service sees them. The service reads the document before a write
 * only if `isObserved` returns true.
 */
export interface WriteObservers {
  /** True if a pipe may change or refuse writes to the collection. */
  isPiped(name: CollectionName): boolean;
  /** True if a pipe or a hook sees writes to the collection. */
  isObserved(name: CollectionName): boolean;
  /**
   * @returns the content to store; null for a deletion @throws the registered error with which a pipe refuses the write
   */
  before(write: PendingWrite): MaybePromise<JsonObject | null>;
  /** Returns at once, never throws. */
  after(write: CommittedWrite): void;
  /** Returns at once, never throws. */
  emptied(emptying: Emptying): void;
}

/** The observers of this server: `NO_OBSERVERS` if none are registered. */
export const WRITE_OBSERVERS: InjectionToken<WriteObservers> = Symbol.for('millrace.WriteObservers');

/** No observers: a storage without plugins. */
export const NO_OBSERVERS: WriteObservers = {
  isPiped: () => false,
  isObserved: () => false,
  before: ({ after }) => after,
  after: () => undefined,
  emptied: () => undefined,
};
