import type { JsonValue } from '@millrace/language';
import { Refusal } from '../Refusal.js';
import { compareTerms } from '../columns/TermDictionary.js';
import type { SortKey } from './SortKey.js';

/** The positions that sort after the given sort values. */
export function positionsAfter(keys: readonly SortKey[], after: readonly JsonValue[], count: number): Int32Array {
  const tests = keys.map((key, i) => comparison(key, after[i] ?? null));
  const positions = new Int32Array(count);
  let kept = 0;
  for (let position = 0; position < count; position += 1) {
    for (const test of tests) {
      const order = test(position);
      if (order === 0) continue;
      if (order > 0) positions[kept++] = position;
      break;
    }
  }
  return positions.subarray(0, kept);
}

/** Whether a position sorts after the given sort values. */
export function isAfter(keys: readonly SortKey[], after: readonly JsonValue[], position: number): boolean {
  for (const [i, key] of keys.entries()) {
    const order = comparison(key, after[i] ?? null)(position);
    if (order !== 0) return order > 0;
  }
  return false;
}

/** Positive if a position sorts after the value. */
function comparison(key: SortKey, value: JsonValue): (position: number) => number {
  if (key.kind === 'number') {
    const bound = key.keyOf(value);
    return (position) => {
      const own = key.keys[position] as number;
      return own === bound ? 0 : own > bound ? 1 : -1;
    };
  }
  const bound = key.textOf(value);
  return (position) => {
    const order = compareTerms(key.textAt(position), bound);
    return key.isDescending ? -order : order;
  };
}

/** A number of `search_after`. */
export function numberOf(value: JsonValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  if (value === true || value === 'true') return 1;
  if (value === false || value === 'false') return 0;
  throw new Refusal(`search_after holds ${JSON.stringify(value)} where its sort criterion needs a number`);
}
