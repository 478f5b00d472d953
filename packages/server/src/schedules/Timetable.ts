import { Cron } from 'croner';
import type { ScheduleTime } from '@millrace/kernel';

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MIN_EVERY_MS = 1_000;

/** Computes the due times of a schedule. */
export class Timetable {
  private readonly everyMs: number | undefined;
  private readonly cron: Cron | undefined;

  /** @throws Error describing the problem with the time */
  constructor(time: ScheduleTime) {
    if ('every' in time) this.everyMs = toMs(time.every);
    else this.cron = toCron(time.cron, time.timeZone ?? 'UTC');
  }

  /**
   * @param lastMs start of the last run, or when the schedule was first seen
   * @param startedMs times of a cron pattern before this one are skipped
   */
  nextMs(lastMs: number, startedMs: number): number {
    if (this.everyMs !== undefined) return lastMs + this.everyMs;
    const next = this.cron?.nextRun(new Date(Math.max(lastMs, startedMs)));
    return next?.getTime() ?? Infinity;
  }

  /**
   * Start of the interval to the next run. `every` counts from the start of a run; cron counts from the time a run
   * ends, which skips the due times in between.
   */
  countedFromMs(startMs: number, endMs: number): number {
    return this.everyMs === undefined ? endMs : startMs;
  }
}

function toMs(every: unknown): number {
  const [, digits, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(String(every)) ?? [];
  const ms = typeof every === 'number' ? every : Number(digits) * (UNITS_MS[unit] ?? NaN);
  if (Number.isSafeInteger(ms) && ms >= MIN_EVERY_MS) return ms;
  throw new Error(
    `"every" must be milliseconds (at least ${MIN_EVERY_MS}) or such as "10m", got ${JSON.stringify(every)}`,
  );
}

function toCron(pattern: unknown, timezone: string): Cron {
  try {
    const cron = new Cron(String(pattern), { timezone, paused: true });
    cron.nextRun();
    return cron;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`"cron" ${JSON.stringify(pattern)} (${timezone}) can't be read: ${problem}`, {
      cause: error,
    });
  }
}
