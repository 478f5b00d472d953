/*
 * Buckets of `date_histogram`. Days and longer units are rounded on the local clock, so days with a clock change are 23
 * or 25 hours long. Hours and minutes, and fixed intervals, are rounded with the offset in force at the instant: the
 * repeated hour gives two buckets.
 */
import { addUnits, floorToUnit } from './calendar.js';
import { createTimeZone, UTC, type TimeZone } from './timeZone.js';

/** Units whose length depends on the calendar; weeks begin on Monday. */
export type CalendarUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Width of the buckets of dates; `createDateRounding` applies it. */
export type DateInterval =
  { readonly kind: 'calendar'; readonly unit: CalendarUnit } | { readonly kind: 'fixed'; readonly ms: number };

/** Bounds of buckets, in milliseconds of UTC. */
export interface DateRounding {
  /** The start of the bucket that contains an instant. */
  round(ms: number): number;
  /** The start of the bucket that follows the one with this start. */
  next(startMs: number): number;
}

/** Options of `createDateRounding`. */
export interface DateRoundingOptions {
  readonly interval: DateInterval;
  readonly timeZone?: string | undefined;
  readonly offsetMs?: number;
}

/** Creates the rounding of an interval; reuse it for the whole aggregation, its time zone caches offsets. */
export function createDateRounding(options: DateRoundingOptions): DateRounding {
  const { interval, timeZone, offsetMs = 0 } = options;
  const zone = (timeZone === undefined ? undefined : createTimeZone(timeZone)) ?? UTC;
  const rounding = interval.kind === 'fixed' ? fixed(interval.ms, zone) : calendar(interval.unit, zone);
  if (offsetMs === 0) return rounding;
  return {
    round: (ms) => rounding.round(ms - offsetMs) + offsetMs,
    next: (startMs) => rounding.next(startMs - offsetMs) + offsetMs,
  };
}

const SHORT_UNITS_MS: Readonly<Partial<Record<CalendarUnit, number>>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
};

function calendar(unit: CalendarUnit, zone: TimeZone): DateRounding {
  const shortMs = SHORT_UNITS_MS[unit];
  if (shortMs !== undefined) return shortSteps(shortMs, zone);
  return {
    round: (ms) => zone.toUtc(floorToUnit(ms + zone.offsetAt(ms), unit)),
    next: (startMs) => {
      // From noon of the first day: a start that a gap has shifted is still in its unit.
      const local = floorToUnit(startMs + 43_200_000 + zone.offsetAt(startMs), unit);
      return zone.toUtc(addUnits(local, 1, unit));
    },
  };
}

function shortSteps(stepMs: number, zone: TimeZone): DateRounding {
  const round = (ms: number): number => {
    const offset = zone.offsetAt(ms);
    const start = Math.floor((ms + offset) / stepMs) * stepMs - offset;
    return zone.offsetAt(start) === offset ? start : changeBetween(zone, start, ms);
  };
  return { round, next: (startMs) => round(startMs + stepMs) };
}

function fixed(stepMs: number, zone: TimeZone): DateRounding {
  if (zone.fixedOffsetMs !== undefined) {
    const offset = zone.fixedOffsetMs;
    return {
      round: (ms) => Math.floor((ms + offset) / stepMs) * stepMs - offset,
      next: (startMs) => startMs + stepMs,
    };
  }
  const round = (ms: number): number => {
    const local = ms + zone.offsetAt(ms);
    const start = zone.toUtc(Math.floor(local / stepMs) * stepMs);
    return start <= ms ? start : changeBetween(zone, ms - stepMs, ms);
  };
  return {
    round,
    next: (startMs) => {
      // From the boundary on the local clock: a start that a gap has shifted is after it.
      const local = Math.floor((startMs + zone.offsetAt(startMs)) / stepMs) * stepMs;
      const next = zone.toUtc(local + stepMs);
      return next > startMs ? next : startMs + stepMs;
    },
  };
}

/** The instant after `from`, up to `to`, from which on the offset has the value it has at `to`. */
function changeBetween(zone: TimeZone, from: number, to: number): number {
  const offset = zone.offsetAt(to);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}
