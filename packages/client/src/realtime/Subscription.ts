import type { JsonObject } from '@millrace/actions';
import type { Gap, RealtimeEvent } from './RealtimeEvent.js';

/**
 * `connecting` until the first answer, then `live`; `resuming` after a lost connection, until all missed events have
 * arrived; `ended` by `close`, or by an error.
 */
export type SubscriptionStatus = 'connecting' | 'live' | 'resuming' | 'ended';

/** Options of a subscription. */
export interface SubscribeOptions {
  /** Events of documents that match after a change (`in`), that match no longer (`out`), or both. Default `all`. */
  readonly scope?: 'all' | 'in' | 'out' | 'none';
  /** Events of other connections that enter the room of the filter (`in`), leave it (`out`), or both. Default `none`. */
  readonly users?: 'all' | 'in' | 'out' | 'none';
  /** Shows the user to others in the room; at most 1,024 bytes of JSON. */
  readonly presence?: JsonObject;
  /**
   * The server keeps the position under this name of the user: 1 to 128 letters, digits or characters of `_.:-`
   * (RESUME-40). The subscription continues after what was acknowledged; it begins with a gap if there is nothing to
   * continue from. Another subscription with the name, of any client of the user, ends this one.
   */
  readonly name?: string;
  /** Continues after this position: `cursor` of an event, of a subscription or of a response. */
  readonly cursor?: string;
  /**
   * What is sent after an interruption: every change (`events`), one event per changed document (`state`), or events as
   * long as they are few (`auto`, default).
   */
  readonly mode?: 'events' | 'state' | 'auto';
  /** Closes the subscription when it is aborted. */
  readonly signal?: AbortSignal;
}

/** The users in the room of a subscription. */
export interface PresenceList {
  /** All connections in the room. */
  readonly count: number;
  /** Those that show themselves. */
  readonly total: number;
  readonly users: readonly PresentUser[];
}

/** A connection that shows itself. */
export interface PresentUser {
  readonly userId: string;
  readonly presence: JsonObject;
  /** UTC milliseconds. */
  readonly since: number;
}

/**
 * The events of a filter, in order and each once, also over lost connections; or a gap where that was not possible.
 *
 * Events wait until they are read: `for await (const event of subscription)` or `on('event', …)`. At most 10,000 events or
 * 8 MiB wait; beyond that, one gap is read in place of them. Leaving the loop closes the subscription.
 */
export interface Subscription<T> extends AsyncIterable<RealtimeEvent<T>> {
  readonly status: SubscriptionStatus;
  /** Why it has ended; undefined after `close`. */
  readonly error: Error | undefined;
  /** Position up to which everything has arrived. Undefined before `ready`, and if the server records no changes. */
  readonly cursor: string | undefined;
  /**
   * Resolves when the subscription is live for the first time: what is read afterwards, together with the events, leaves
   * nothing out. Rejects if it ends before.
   */
  readonly ready: Promise<void>;
  /** Calls the listener for each event, gaps included, beginning with those that wait. Returns the function that ends it. */
  on(type: 'event', listener: (event: RealtimeEvent<T>) => void): () => void;
  /** Calls the listener for each gap. */
  on(type: 'gap', listener: (gap: Gap) => void): () => void;
  /** Calls the listener at each change of `status`. */
  on(type: 'status', listener: (status: SubscriptionStatus) => void): () => void;
  /**
   * The users in the room who show themselves, earliest first.
   * @throws MillraceError: it requires the right `realtime.presence`; NetworkError while it is not live
   */
  presence(options?: { readonly from?: number; readonly size?: number }): Promise<PresenceList>;
  /**
   * Of a subscription with a name: everything up to this position is done and need not come again. What is acknowledged
   * while the connection is lost is sent when it is restored.
   * @param cursor of an event or of the subscription
   * @throws MillraceError `realtime.invalid_cursor`
   */
  acknowledge(cursor: string): Promise<void>;
  /** Ends the subscription; nothing arrives afterwards. */
  close(): void;
}
