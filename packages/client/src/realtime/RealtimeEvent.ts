import type { DocumentMetadata, JsonObject } from '@millrace/actions';

/** What each event of a subscription has. */
export interface EventOrigin {
  /** Position of the event. Store it with what was made of the event, to continue there later. */
  readonly cursor?: string;
  /** The event was missed, and sent after the connection was restored. */
  readonly replayed: boolean;
  /** The time of the event on the server, in UTC milliseconds. */
  readonly timestamp: number;
  /** `metadata` of the request that caused it. */
  readonly metadata: JsonObject;
}

/** A document that matches was created, or a document was changed and matches now. */
export interface DocumentChanged<T> extends EventOrigin {
  readonly kind: 'changed';
  readonly action: 'create' | 'update';
  readonly id: string;
  readonly version: number;
  readonly source: T;
  readonly meta: DocumentMetadata;
}

/** A document that matched was changed and matches no longer, or was deleted. */
export interface DocumentLeft extends EventOrigin {
  readonly kind: 'left';
  readonly action: 'update' | 'delete';
  readonly id: string;
  readonly version: number;
  readonly meta: DocumentMetadata;
}

/** A message was published that matches the filter. */
export interface MessageReceived<T> extends EventOrigin {
  readonly kind: 'message';
  readonly source: T;
  /** Absent if the message has none. */
  readonly id?: string;
}

/** Another connection has entered or left the room of the filter (option `users`). */
export interface UsersChanged extends EventOrigin {
  readonly kind: 'users';
  readonly change: 'in' | 'out';
  /** Connections in the room. */
  readonly count: number;
  /** Absent if the connection doesn't show itself (option `presence`). */
  readonly userId?: string;
  readonly presence?: JsonObject;
  /** UTC milliseconds. */
  readonly since?: number;
}

/**
 * Events may be missing, and the server can't send them again: the data has to be read again. What changes after that
 * reading comes as events. Reasons: RESUME-22.
 */
export interface Gap {
  readonly kind: 'gap';
  readonly reason: string;
  readonly message: string;
  /** Position after which nothing is missing. Absent if the server records no changes. */
  readonly cursor?: string;
}

/** An event of a subscription to documents of type `T`. */
export type RealtimeEvent<T> = DocumentChanged<T> | DocumentLeft | MessageReceived<T> | UsersChanged | Gap;
