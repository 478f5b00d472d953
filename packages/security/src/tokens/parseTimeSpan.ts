const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Spellings of each unit (SEC-51): abbreviation and English names. */
const UNITS: readonly (readonly [number, readonly string[]])[] = [
  [1, ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
  [SECOND_MS, ['s', 'sec', 'secs', 'second', 'seconds']],
  [MINUTE_MS, ['m', 'min', 'mins', 'minute', 'minutes']],
  [HOUR_MS, ['h', 'hr', 'hrs', 'hour', 'hours']],
  [DAY_MS, ['d', 'day', 'days']],
  [7 * DAY_MS, ['w', 'week', 'weeks']],
  [365.25 * DAY_MS, ['y', 'yr', 'yrs', 'year', 'years']],
];
const UNIT_MS = new Map(UNITS.flatMap(([ms, names]) => names.map((name) => [name, ms] as const)));
const SPAN = /^(\d{1,15}(?:\.\d{1,9})?) ?([a-z]{1,12})$/;

/**
 * Parses a token's life: an integer of seconds (a number or its digits), or a number and a unit (`2 days`, `10h`).
 * @returns whole seconds, rounded up; undefined for invalid values and values of zero or less
 */
export function parseTimeSpan(value: unknown): number | undefined {
  if (typeof value === 'number') return positive(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,15}$/.test(value)) return positive(Number(value));
  const [, amount, unit = ''] = SPAN.exec(value.toLowerCase()) ?? [];
  const unitMs = UNIT_MS.get(unit);
  if (amount === undefined || unitMs === undefined) return undefined;
  return positive(Math.ceil((Number(amount) * unitMs) / SECOND_MS));
}

function positive(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined;
}
