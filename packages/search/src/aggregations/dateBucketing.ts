import type { createDateRounding } from '@millrace/language';
import { isNumberType } from '@millrace/query';
import type { NumberColumn } from '../columns/NumberColumn.js';
import { NO_BUCKET } from './Bucketing.js';
import { numberBucketing, type NumberBucketing } from './numberBucketing.js';
import type { NumberSource } from './valueSource.js';

/*
 * Assigns dates to buckets by a table. All bucket bounds between the first and the last date are computed once, and a
 * table of equal steps (the largest that divides every bucket: a day for months, an hour or less in most time zones)
 * maps each step to its bucket. So a date costs a division and a lookup, whatever the calendar. If the table would be
 * too long, each date is rounded separately.
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
  /** Identifies the rounding, if no date is outside: its bounds are then cached for the next search. */
  cacheKey?: string,
): NumberBucketing {
  const byItself = (ms: number) => {
    const key = rounding.round(ms);
    return isInside(key) ? key : NaN;
  };
  if (source.field !== undefined && isNumberType(source.field.type))
    return numberBucketing(source, slots, byItself, false);
  const { starts, table } = bordersOf(source, rounding, isInside, cacheKey);
  if (starts === undefined || table === undefined) return numberBucketing(source, slots, byItself, false);
  const { ordinals, stepMs } = table;
  const startMs = starts[0] as number;
  const { column, missing } = source;
  if (column !== undefined && column.more.size === 0 && Number.isNaN(missing)) {
    const bucketing = {
      size: starts.length,
      ordinals: lookUp(column, slots, startMs, table),
      isByPosition: true,
      more: NOTHING,
      missingOrdinal: NO_BUCKET,
    };
    return { bucketing, keyOf: (ordinal) => starts[ordinal] as number };
  }
  const keyed = numberBucketing(source, slots, (ms) => {
    const ordinal = ordinals[Math.floor((ms - startMs) / stepMs)] as number;
    return ordinal < 0 ? NaN : ordinal;
  });
  return { bucketing: keyed.bucketing, keyOf: (ordinal) => starts[keyed.keyOf(ordinal)] as number };
}

interface Borders {
  readonly starts: readonly number[] | undefined;
  readonly table: StepTable | undefined;
}

/** By column: the bounds of the last searches, valid as long as the first and last date of the column don't change. */
const keptBorders = new WeakMap<NumberColumn, Map<string, Borders>>();
const MAX_KEPT = 8;
const MAX_KEPT_LENGTH = 1 << 16;

function bordersOf(
  source: NumberSource,
  rounding: DateRounding,
  isInside: (key: number) => boolean,
  cacheKey: string | undefined,
): Borders {
  const { column, missing } = source;
  const compute = (): Borders => {
    const starts = bucketStarts(source, rounding);
    return { starts, table: starts && stepTable(starts, isInside) };
  };
  if (cacheKey === undefined || column === undefined || !Number.isNaN(missing)) return compute();
  const kept = keptBorders.get(column) ?? new Map<string, Borders>();
  keptBorders.set(column, kept);
  const key = `${column.min} ${column.max} ${cacheKey}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const borders = compute();
  if (kept.size >= MAX_KEPT) kept.clear();
  if ((borders.table?.ordinals.length ?? Infinity) <= MAX_KEPT_LENGTH) kept.set(key, borders);
  return borders;
}

const NOTHING: ReadonlyMap<number, Int32Array> = new Map();

/** By position: the bucket of the only value of each document. */
function lookUp(
  { values, length }: NumberColumn,
  slots: Int32Array,
  startMs: number,
  { ordinals, stepMs }: StepTable,
): Int32Array {
  const found = new Int32Array(slots.length);
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const value = slot < length ? (values[slot] as number) : NaN;
    // No value is before the start, so truncating rounds down.
    found[i] = value === value ? (ordinals[Math.trunc((value - startMs) / stepMs)] as number) : NO_BUCKET;
  }
  return found;
}

interface StepTable {
  readonly ordinals: Int32Array;
  readonly stepMs: number;
}

/** The first millisecond of every bucket from the lowest to the highest date, and of the next one. */
function bucketStarts({ column, missing }: NumberSource, rounding: DateRounding): number[] | undefined {
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

function stepTable(starts: readonly number[], isInside: (key: number) => boolean): StepTable | undefined {
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
