import type { InjectionToken } from 'tsyringe';

/** Time, injected so that tests can turn it. */
export interface Clock {
  /** Wall time, UTC milliseconds since 1970: for what users see and for tokens. */
  nowMs(): number;
  /** Milliseconds that never jump: for timeouts, spans and statistics. */
  monotonicMs(): number;
}

/** The clock of this server. */
export const CLOCK: InjectionToken<Clock> = Symbol.for('millrace.Clock');
