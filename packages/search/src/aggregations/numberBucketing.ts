import type { NumberColumn } from '../columns/NumberColumn.js';
import { NO_BUCKET, SEVERAL_BUCKETS, type Bucketing } from './Bucketing.js';
import type { NumberSource } from './valueSource.js';

/** A range of keys up to this wide is counted in an array, whatever the number of documents. */
const MIN_DENSE_WIDTH = 1 << 16;

/** Buckets of numbers: each value belongs to the bucket of one key. */
export interface NumberBucketing {
  readonly bucketing: Bucketing;
  /** By ordinal: the bucket's key. */
  readonly keyOf: (ordinal: number) => number;
}

/**
 * Assigns documents to buckets by a key computed from each value. Keys in a narrow range are their own ordinals; others
 * are numbered in order of appearance.
 * @param others documents whose keys get buckets too, empty ones, and the column to read them from
 * @param toKey the key of a value, NaN to leave the value out; must be monotonically increasing
 */
export function numberBucketing(
  source: NumberSource,
  slots: Int32Array,
  toKey: (value: number) => number,
  hasIntegerKeys = true,
  others?: { readonly column: NumberColumn; readonly slots: Int32Array },
): NumberBucketing {
  const { column, missing } = source;
  const ordinals = new Int32Array(slots.length).fill(NO_BUCKET);
  const more = new Map<number, Int32Array>();
  // A dense numbering includes keys that no document has, which must not be returned as empty buckets.
  const isDense = hasIntegerKeys && others === undefined;
  const numbering = isDense ? numberingFor(source, slots.length, toKey) : numberAsTheyCome();
  const missingKey = Number.isNaN(missing) ? NaN : toKey(missing);
  const missingOrdinal = Number.isNaN(missingKey) ? NO_BUCKET : numbering.ordinalOf(missingKey);
  if (column !== undefined) {
    const { values, length } = column;
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      const value = slot < length ? (values[slot] as number) : NaN;
      if (Number.isNaN(value)) continue;
      const several = column.more.size === 0 ? undefined : column.more.get(slot);
      if (several === undefined) {
        const key = toKey(value);
        // A value outside the bounds doesn't count as missing.
        ordinals[i] = Number.isNaN(key) ? OUTSIDE : numbering.ordinalOf(key);
      } else {
        const own = distinctOrdinals(several, toKey, numbering);
        ordinals[i] = own.length === 1 ? (own[0] as number) : own.length === 0 ? OUTSIDE : SEVERAL_BUCKETS;
        if (own.length > 1) more.set(slot, own);
      }
    }
  }
  if (others !== undefined) numberKeys(others.column, others.slots, toKey, numbering);
  const bucketing = { size: numbering.size(), ordinals, isByPosition: true, more, missingOrdinal };
  return { bucketing, keyOf: numbering.keyOf };
}

function numberKeys(
  column: NumberColumn,
  slots: Int32Array,
  toKey: (value: number) => number,
  numbering: Numbering,
): void {
  for (const slot of slots) {
    const value = slot < column.length ? (column.values[slot] as number) : NaN;
    if (Number.isNaN(value)) continue;
    for (const each of column.more.get(slot) ?? [value]) numbering.ordinalOf(toKey(each));
  }
}

/** In no bucket, but not missing. */
const OUTSIDE = -3;

interface Numbering {
  readonly ordinalOf: (key: number) => number;
  readonly keyOf: (ordinal: number) => number;
  readonly size: () => number;
}

function numberingFor(source: NumberSource, count: number, toKey: (value: number) => number): Numbering {
  const { column, missing } = source;
  const low = Math.min(column?.min ?? Infinity, Number.isNaN(missing) ? Infinity : missing);
  const high = Math.max(column?.max ?? -Infinity, Number.isNaN(missing) ? -Infinity : missing);
  const [first, last] = [toKey(low), toKey(high)];
  const width = last - first + 1;
  const isDense =
    Number.isSafeInteger(first) && Number.isSafeInteger(last) && width <= Math.max(MIN_DENSE_WIDTH, count);
  if (isDense) {
    return {
      ordinalOf: (key) => key - first,
      keyOf: (ordinal) => ordinal + first,
      size: () => width,
    };
  }
  return numberAsTheyCome();
}

function numberAsTheyCome(): Numbering {
  const known = new Map<number, number>();
  const keys: number[] = [];
  return {
    ordinalOf: (key) => {
      let ordinal = known.get(key);
      if (ordinal === undefined) {
        ordinal = keys.length;
        known.set(key, ordinal);
        keys.push(key);
      }
      return ordinal;
    },
    keyOf: (ordinal) => keys[ordinal] as number,
    size: () => keys.length,
  };
}

function distinctOrdinals(values: Float64Array, toKey: (value: number) => number, numbering: Numbering): Int32Array {
  const ordinals = new Set<number>();
  for (const value of values) {
    const key = toKey(value);
    if (!Number.isNaN(key)) ordinals.add(numbering.ordinalOf(key));
  }
  return Int32Array.from(ordinals);
}
