import type { CalendarUnit } from './createDateRounding.js';
import { addUnits, floorToUnit } from './calendar.js';
import type { DateFormat } from './DateFormat.js';
import { createTimeZone, UTC } from './timeZone.js';

const MAX_STEPS = 100;
const MAX_DATE_MS = 8.64e15;
const STEP = /([+-])(\d{0,9})([yMwdhHms])|\/([yMwdhHms])/y;

const UNITS: Readonly<Record<string, CalendarUnit>> = {
  y: 'year',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  H: 'hour',
  m: 'minute',
  s: 'second',
};

/** Options of `parseDateMath`. */
export interface DateMathOptions {
  readonly format: DateFormat;
  /** Read once per request. */
  readonly nowMs: number;
  /** Applies to literal dates and rounding, not to `now`. */
  readonly timeZone?: string | undefined;
  /** For `gt` and `lte`: rounds up to the last millisecond. */
  readonly roundUp?: boolean;
  readonly isRangeQuery?: boolean;
}

/**
 * Parses `now` or a date, then steps `+n<u>`, `-n<u>`, `/<u>`, after a date separated by `||` (SEARCH-24).
 * @returns milliseconds of UTC, or undefined if the string is neither
 */
export function parseDateMath(text: string, options: DateMathOptions): number | undefined {
  const { format, nowMs, timeZone, roundUp = false, isRangeQuery } = options;
  if (text.startsWith('now')) return applySteps(text.slice(3), nowMs, timeZone, roundUp);
  const bar = text.indexOf('||');
  if (bar < 0) return format.parse(text, { timeZone, roundUp, isRangeQuery });
  const start = format.parse(text.slice(0, bar), { timeZone, isRangeQuery });
  return start === undefined ? undefined : applySteps(text.slice(bar + 2), start, timeZone, roundUp);
}

function applySteps(
  steps: string,
  startMs: number,
  timeZone: string | undefined,
  roundUp: boolean,
): number | undefined {
  const zone = (timeZone === undefined ? undefined : createTimeZone(timeZone)) ?? UTC;
  let ms = startMs;
  let position = 0;
  for (let count = 0; position < steps.length; count += 1) {
    STEP.lastIndex = position;
    const match = STEP.exec(steps);
    if (match === null || count >= MAX_STEPS) return undefined;
    position = STEP.lastIndex;
    const unit = UNITS[match[3] ?? match[4] ?? ''];
    if (unit === undefined) return undefined;
    const local = ms + zone.offsetAt(ms);
    if (match[4] !== undefined) {
      const floor = floorToUnit(local, unit);
      ms = roundUp ? zone.toUtc(addUnits(floor, 1, unit)) - 1 : zone.toUtc(floor);
    } else {
      const amount = Number(match[2] === '' ? 1 : match[2]) * (match[1] === '-' ? -1 : 1);
      const isExact = unit === 'hour' || unit === 'minute' || unit === 'second';
      ms = isExact ? addUnits(ms, amount, unit) : zone.toUtc(addUnits(local, amount, unit));
    }
    if (!(Math.abs(ms) <= MAX_DATE_MS)) return undefined;
  }
  return ms;
}
