/** When a scheduled function runs. */
export type ScheduleTime =
  | {
      /**
       * Interval between the starts of two runs: milliseconds (at least 1,000), or a string such as `30s`, `10m`, `2h`,
       * `1d`.
       */
      readonly every: number | string;
    }
  | {
      /** Five fields (minute, hour, day of month, month, day of week), or six with seconds first. */
      readonly cron: string;
      /** A time zone such as `Europe/Paris`. Default `UTC`. */
      readonly timeZone?: string;
    };

/** One run. */
export interface ScheduledRun {
  /** When it was due, in UTC milliseconds. */
  readonly dueAtMs: number;
  /** Aborted when the server begins to stop, and when another node may have taken over. */
  readonly signal: AbortSignal;
}

/**
 * The function that `host.schedule` runs. On one node of a cluster at a time, never two runs at once. A run interrupted
 * by the death of its node is repeated by another node (or after the restart), so a run may happen twice. For runs that
 * were due while no node was running, `every` runs once and `cron` waits for its next time. A throw is logged, and the
 * schedule continues.
 */
export type ScheduledFunction = (run: ScheduledRun) => unknown;
