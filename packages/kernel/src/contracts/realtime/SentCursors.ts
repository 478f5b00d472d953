import type { InjectionToken } from 'tsyringe';
import type { Cursor } from '../storage/ChangeLog.js';

/** Up to where connections have been sent the changes that they are subscribed to. For heartbeats. */
export interface SentCursors {
  /**
   * Everything up to this position has been passed to the protocol; undefined: not known now (no change log, no change
   * yet, or a subscription of the connection is being resumed).
   */
  of(connectionId: string): Cursor | undefined;
}

/** Provided by the realtime service. */
export const SENT_CURSORS: InjectionToken<SentCursors> = Symbol.for('millrace.SentCursors');
