import type { createDateRounding } from '@millrace/query';
import { numberBucketing, type NumberBucketing } from './numberBucketing.js';
import type { NumberSource } from './valueSource.js';

/*
 * Dates are put into buckets by a table: all borders between the first and the last date are computed once, and a table
 * of equal steps (the greatest that divides every bucket: a day for months, an hour or less in most time zones) tells the
 * bucket of each step. So a date costs a division and a look-up, whatever the calendar. Where the table would be too
 * long, each date is rounded by itself.
 */
const MAX_TABLE_LENGTH = 1 << 21;
const MAX_BORDERS = 1 << 17;

type DateRounding = ReturnType<typeof createDateRounding>;

/** Buckets of dates; the key is the bucket's first millisecond. */
export function dateBucketing(
  source: NumberSource,
  slots: Int32Array,
  rounding: DateRounding,
  isInside: (key: number) => boolean,
): NumberBucketing {
  const starts = bucketStarts(source, rounding);
  const table = starts && stepTable(starts, isInside);
  if (starts === undefined || table === undefined) {
    return numberBucketing(
      source,
      slots,
      (ms) => {
        const key = rounding.round(ms);
        return isInside(key) ? key : NaN;
      },
      false,
    );
  }
  const { ordinals, stepMs } = table;
  const startMs = starts[0] as number;
  const keyed = numberBucketing(source, slots, (ms) => {
    const ordinal = ordinals[Math.floor((ms - startMs) / stepMs)] as number;
    return ordinal < 0 ? NaN : ordinal;
  });
  return { bucketing: keyed.bucketing, keyOf: (ordinal) => starts[keyed.keyOf(ordinal)] as number };
}

/** The first millisecond of every bucket from the lowest to the highest date, and of the one after. */
function bucketStarts(
  { column, missing }: NumberSource,
  rounding: DateRounding,
): number[] | undefined {
  const low = Math.min(column?.min ?? Infinity, Number.isNaN(missing) ? Infinity : missing);
  const high = Math.max(column?.max ?? -Infinity, Number.isNaN(missing) ? -Infinity : missing);
  if (low > high) return undefined;
  const starts = [rounding.round(low)];
  for (let at = starts[0] as number; at <= high;) {
    const next = rounding.next(at);
    if (starts.length > MAX_BORDERS || !(next > at)) return undefined;
    starts.push(next);
    at = next;
  }
  return starts;
}

function stepTable(
  starts: readonly number[],
  isInside: (key: number) => boolean,
): { readonly ordinals: Int32Array; readonly stepMs: number } | undefined {
  const first = starts[0] as number;
  let stepMs = 0;
  for (let i = 1; i < starts.length; i += 1) stepMs = gcd(stepMs, (starts[i] as number) - first);
  const length = ((starts.at(-1) as number) - first) / stepMs;
  if (length > MAX_TABLE_LENGTH) return undefined;
  const ordinals = new Int32Array(length);
  for (let i = 0; i + 1 < starts.length; i += 1) {
    const from = ((starts[i] as number) - first) / stepMs;
    const to = ((starts[i + 1] as number) - first) / stepMs;
    ordinals.fill(isInside(starts[i] as number) ? i : -1, from, to);
  }
  return { ordinals, stepMs };
}

function gcd(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
