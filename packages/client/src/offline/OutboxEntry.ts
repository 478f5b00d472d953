/** Why a write failed. */
export interface WriteFailure {
  /** Id of the server's error, or `offline.expired`. */
  readonly id: string;
  readonly message: string;
  /** Status of the server's answer. */
  readonly status?: number;
}

/** A document of a collection. */
export interface DocumentAddress {
  readonly index: string;
  readonly collection: string;
  readonly id: string;
}

/** A write that waits to be sent, as it is stored. */
export interface OutboxWrite extends DocumentAddress {
  readonly action: 'create' | 'replace' | 'update' | 'delete';
  /** The content, or the changes of an update; absent in a deletion. */
  readonly body?: unknown;
  /** The version that the writer has seen; absent: the write is not checked for conflicts. */
  readonly ifVersion?: number | undefined;
  /** The content of that version. */
  readonly base?: unknown;
  /** The id of the document was made by the outbox: no other client can have created it. */
  readonly hasOwnId?: boolean;
  /** Idempotency key: the server executes the write once, however often it is sent. */
  readonly key: string;
  /** Whose write it is; null: an anonymous one. */
  readonly user: string | null;
  /** UTC milliseconds. */
  readonly addedAtMs: number;
  /** Size of `body` and `base` as JSON in UTF-8. */
  readonly bytes: number;
  /** Set once the write has failed: it is not sent again by itself. */
  readonly error?: WriteFailure;
}

/** A stored write with its position. */
export interface OutboxEntry extends OutboxWrite {
  /** Greater than that of each entry that was added before. */
  readonly position: number;
}
