import type { InjectionToken } from 'tsyringe';

/** The writes of this server that have started and not ended, in any collection. */
export interface WritesInFlight {
  /**
   * Resolves when the writes that have started without subscribers or plugins observing them have ended; undefined:
   * there are none. Their changes are not notified, so a new subscription waits for them.
   */
  unobserved(): Promise<void> | undefined;
  /** Resolves when all writes that have started have ended and their changes have been passed to the listeners. */
  all(): Promise<void> | undefined;
}

/** The writes in flight of this server. */
export const WRITES_IN_FLIGHT: InjectionToken<WritesInFlight> = Symbol.for('millrace.WritesInFlight');

/** A server without documents. */
export const NO_WRITES_IN_FLIGHT: WritesInFlight = {
  unobserved: () => undefined,
  all: () => undefined,
};
