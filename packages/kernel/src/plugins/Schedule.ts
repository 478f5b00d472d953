/** When a scheduled function runs. */
export type ScheduleTime =
  | {
      /** Between the starts of two runs: milliseconds (at least 1,000), or such as `30s`, `10m`, `2h`, `1d`. */
      readonly every: number | string;
    }
  | {
      /** Five fields (minute, hour, day of month, month, day of week), or six with seconds in front. */
      readonly cron: string;
      /** Such as `Europe/Paris`. Default `UTC`. */
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
 * What `host.schedule` runs. On one node of a cluster at a time, never two runs at once; a run that the death of its node
 * interrupts is run again by another node (or after the restart), so it may happen twice. What was due while no node ran:
 * `every` runs once, `cron` waits for its next time. A throw is logged, and the schedule goes on.
 */
export type ScheduledFunction = (run: ScheduledRun) => unknown;
