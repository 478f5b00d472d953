import type { InjectionToken } from 'tsyringe';
import type { Connection } from '../request/Connection.js';
import type { Cursor } from '../storage/ChangeLog.js';

/** Up to where connections have been sent the changes that they are subscribed to. For heartbeats. */
export interface SentCursors {
  /**
   * Everything up to this position has been passed to the protocol. Undefined: not known now, since there is no change
   * log, a subscription of the connection is being resumed, or no change has been delivered since one of them began.
   */
  of(connectionId: string): Cursor | undefined;
  /** Number of notifications that have been passed to the protocol for the connection, but user events (RESUME-24). */
  countOf(connection: Connection): number;
}

/** Provided by the realtime service. */
export const SENT_CURSORS: InjectionToken<SentCursors> = Symbol.for('millrace.SentCursors');
