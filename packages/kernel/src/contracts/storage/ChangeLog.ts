import type { EventLoopPacer } from '../../concurrency/EventLoopPacer.js';
import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { ChangeOrigin, DocumentChange } from '../realtime/DocumentListeners.js';
import type { DocumentMetadata } from './DocumentMetadata.js';
import type { MaybePromise } from '../../concurrency/MaybePromise.js';
import type { CollectionName } from './StorageEngine.js';

/**
 * A position in the change log: `<epoch>.<seq>`, at most 32 ASCII characters. The positions of one epoch sort as text
 * in the order of their changes. Clients treat it as opaque.
 */
export type Cursor = string;

/** Why notifications can't be replayed, or were lost. */
export type GapReason =
  /** The cursor belongs to another log: the store was restored or rebuilt. */
  | 'epoch_changed'
  /** The changes after the cursor have been trimmed. */
  | 'expired'
  /** The collection was not recorded at the cursor, or this server has no change log. */
  | 'not_recorded'
  /** All documents of the collection were removed at once. */
  | 'wiped'
  /** More changes than the server replays, queues or evaluates. */
  | 'too_much'
  /** The connection reads too slowly. */
  | 'slow_consumer'
  /** Changes may not be recorded: another node died, this node was cut off from it, or the log was not writable. */
  | 'node_lost'
  /** The rights of the subscriber changed. */
  | 'rights_changed';

/** A document at one moment. */
export interface DocumentImage {
  /** Change logs keep it as text (`DocumentText`): read it once. */
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
  readonly version: number;
}

/** One recorded change of a document. `before` and `after` are never both null. */
export interface LoggedChange {
  readonly kind: 'document';
  readonly cursor: Cursor;
  readonly id: string;
  /** Null if the document was absent. */
  readonly before: DocumentImage | null;
  /** Null if it was deleted. */
  readonly after: DocumentImage | null;
  /** UTC milliseconds. */
  readonly atMs: number;
  /** Null if the writer asked for no notifications (`silent`), or if it isn't known. */
  readonly origin: ChangeOrigin | null;
  readonly isSilent: boolean;
}

/** All documents of the collection were removed at once, by a truncate or a deletion. */
export interface LoggedWipe {
  readonly kind: 'wiped';
  readonly cursor: Cursor;
  readonly atMs: number;
}

/** What happened to one document between two positions. */
export interface NetChange {
  readonly id: string;
  /** At the first position; null if it was absent. */
  readonly before: DocumentImage | null;
  /** At the second position; null if it is absent. */
  readonly after: DocumentImage | null;
  /** Position and time of its last change. */
  readonly cursor: Cursor;
  readonly atMs: number;
  /** The first positions for which this holds: `from` and later, before `to`. Absent: the one that was asked for. */
  readonly within?: { readonly from: Cursor; readonly to: Cursor };
}

/** When a replay gives other work a turn of the event loop. */
export type ReplayPace = Pick<EventLoopPacer, 'isDue' | 'rest'>;

/** Limits of one replay, beyond which it is the gap `too_much`. */
export interface ReplayLimits {
  /** Changes, or documents for net changes. */
  readonly maxChanges: number;
  /** Bytes that the documents take once parsed (`weighText`). */
  readonly maxWeight: number;
  /** Default: an `EventLoopPacer`. */
  readonly pace?: ReplayPace;
}

/** The changes of one collection after a cursor, up to `head`, or why they are unknown. */
export type Replay<Change> =
  { readonly head: Cursor; readonly changes: readonly Change[] } | { readonly gap: GapReason };

/** Receives what a change log passes on. Calls come in the order of positions, return at once and never throw. */
export interface ChangeReceiver {
  /**
   * A recorded change of any node. @param read parses it, with its time in UTC milliseconds; null: not to be notified
   */
  changed(
    name: CollectionName,
    cursor: Cursor,
    read: () => { readonly change: DocumentChange; readonly atMs: number } | null,
  ): void;
  /** All documents of a collection were removed at once, by any node. */
  wiped(name: CollectionName): void;
  /** Every change up to here was passed on. */
  reached(cursor: Cursor): void;
  /** Changes may be missing: those of one collection, or (null) of any. */
  lost(name: CollectionName | null, message: string): void;
}

/** The extent of a change log. */
export interface ChangeLogSize {
  /** Bytes of the recorded changes, without the structure of the storage. */
  readonly bytes: number;
  /** UTC milliseconds; null: nothing is recorded. */
  readonly oldestAtMs: number | null;
}

/**
 * Records the changes of covered collections, in the order in which they were committed: a change is recorded exactly
 * if it was committed. A write to a covered collection gets the position of its change in its outcome.
 */
export interface ChangeLog {
  /** Identity of this log; another one after a restore or a rebuilt store. */
  readonly epoch: string;
  /** Position of the last recorded change whose outcome the writers know. */
  head(): MaybePromise<Cursor>;
  /**
   * Records the changes of the collection until `release`, and for the configured time after it. Resolves when every
   * change committed from now on is recorded. Idempotent. The collection may be absent.
   */
  cover(name: CollectionName): MaybePromise<void>;
  /**
   * The last subscription of this server to the collection has ended.
   * @param client whose it was: clients share the number of collections that may be recorded without subscriptions
   */
  release(name: CollectionName, client?: string): void;
  /**
   * Keeps the changes of the collection after `cursor` beyond the ordinary age, up to the limits of the configuration;
   * null ends it. For named subscriptions.
   */
  pin(name: CollectionName, holder: string, cursor: Cursor | null): MaybePromise<void>;
  /** Removes the recorded changes of the collection, with the content of deleted documents: they are `expired`. */
  erase?(name: CollectionName): MaybePromise<void>;
  /** The earliest position after which the log has all changes of the collection; undefined if it isn't recorded. */
  oldest(name: CollectionName): MaybePromise<Cursor | undefined>;
  /** For metrics. Absent: not known. */
  size?(): MaybePromise<ChangeLogSize>;
  /**
   * Checks the form of a cursor of this or of an earlier epoch.
   * @throws realtime.invalid_cursor (400) if it is malformed, or later than the head of the same epoch, as far as that
   *   is known without reading: another node may have a later head
   */
  check(cursor: string): Cursor;
  /**
   * For logs that notify in their own order, such as one that several nodes share: passes on all recorded changes, this
   * node's included. The outcomes of such writes have `isPassedOn`. Call before the start.
   */
  passOn?(receiver: ChangeReceiver): void;
  /**
   * Every change after `after`, oldest first, without those before a wipe. No changes, and an earlier head, if
   * `after` has not been reached.
   */
  changesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<LoggedChange | LoggedWipe>>;
  /** The documents that changed after `after`, each once, in the order of their last change. */
  netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<NetChange>>;
  /**
   * As `netChangesAfter` for several positions by one reading: a document may be there several times, each with the
   * positions `within` which it holds. Absent: they are read one by one.
   * @param afters in ascending order; a gap is that of the first one, or `too_much` for all together
   */
  netChangesAfterEach?(
    name: CollectionName,
    afters: readonly Cursor[],
    limits: ReplayLimits,
  ): Promise<Replay<NetChange>>;
}

/** The change log of this server; null if it has none. */
export const CHANGE_LOG: InjectionToken<ChangeLog | null> = Symbol.for('millrace.ChangeLog');
