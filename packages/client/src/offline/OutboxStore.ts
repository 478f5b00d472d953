import type { DocumentAddress, OutboxEntry, OutboxWrite } from './OutboxEntry.js';

/** A document as the server has it after a write. */
export interface Written {
  /** Absent if the document was deleted. */
  readonly version?: number | undefined;
  /** Null: the document was deleted. */
  readonly source: unknown;
}

/** A document that was written just now. */
export interface WrittenDocument extends DocumentAddress, Written {
  /** The write has created it. */
  readonly isNew: boolean;
}

/** What has changed in an outbox. */
export interface OutboxChange {
  /** Entries that were added or replaced. */
  readonly put: readonly OutboxEntry[];
  /** Positions of entries that were removed. */
  readonly removed: readonly number[];
  /** Why an entry was removed: it was sent. Not stored, only passed on to the other users of the store. */
  readonly written?: WrittenDocument;
}

/** Keeps the writes of an outbox. Implement it to keep them elsewhere, such as in a file. */
export interface OutboxStore {
  /** All entries, in any order. */
  load(): Promise<readonly OutboxEntry[]>;
  /**
   * Stores a write. It is durable once the promise is fulfilled.
   * @returns its position, greater than all before
   */
  add(write: OutboxWrite): Promise<number>;
  /** Replaces and removes entries: all of them or, on an error, none. An entry that is absent isn't put. */
  change(change: OutboxChange): Promise<void>;
  /**
   * Runs one function at a time among all users of the store, so that one tab sends for all. Absent: there are no others.
   * @param signal ends the wait for the turn
   */
  exclusive?(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Calls the listener with the changes that other users of the store make. Returns the function that ends it. */
  onChange?(listener: (change: OutboxChange) => void): () => void;
}
