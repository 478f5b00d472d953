import type { DocumentAddress, WriteFailure } from './OutboxEntry.js';

/** Whether the server has all writes of a document. */
export interface DocumentState {
  /** `pending`: writes wait to be sent; `failed`: one was refused, and those behind it wait. */
  readonly state: 'synced' | 'pending' | 'failed';
  /** Why the state is `failed`. */
  readonly error?: WriteFailure;
}

/** A document with unsent writes, as it will be. */
export interface OfflineDocument<T> extends DocumentAddress, DocumentState {
  /** Null: it will be deleted. Only the changed fields, if the outbox doesn't know the document. */
  readonly source: T | null;
}

/** A document that a page shows: from `get`, a search, or an event. */
export interface ShownDocument<T> {
  readonly id: string;
  readonly source: T;
  readonly version?: number;
}
