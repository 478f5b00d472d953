import type { InjectionToken } from 'tsyringe';

/** Time, injected so that tests can control it. */
export interface Clock {
  /** Wall-clock time in UTC milliseconds since 1970: for values shown to users and for tokens. */
  nowMs(): number;
  /** Milliseconds that never jump: for timeouts, durations and statistics. */
  monotonicMs(): number;
}

/** The clock of this server. */
export const CLOCK: InjectionToken<Clock> = Symbol.for('millrace.Clock');
