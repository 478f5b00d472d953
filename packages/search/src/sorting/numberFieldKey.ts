import { parseDateMath, type JsonValue } from '@millrace/language';
import { dateFormatOf, MAX_LONG, toLong, type CompiledField, type FieldSort } from '@millrace/query';
import type { NumberColumn } from '../columns/NumberColumn.js';
import type { Matches } from '../queries/Matches.js';
import { Refusal } from '../Refusal.js';
import { toFloat } from './toFloat.js';
import { MissingPlace, type NumberSortKey } from './SortKey.js';
import { numberOf } from './searchAfter.js';
import { reduceByMode } from './sortModes.js';

/** Stored and returned in 32 bits. */
const SINGLE = new Set(['float', 'half_float']);
const FLOATING = new Set(['float', 'double', 'half_float', 'scaled_float']);

/** The criterion of a number, date or boolean field. @param field undefined if it is not mapped */
export function numberFieldKey(
  sort: FieldSort,
  field: CompiledField | undefined,
  column: NumberColumn | undefined,
  matches: Matches,
  nowMs: number,
): NumberSortKey {
  const type = field?.type ?? sort.unmappedType ?? 'long';
  // `numeric_type` converts the values: a whole number has no fraction.
  const isFloating = sort.numericType === undefined ? FLOATING.has(type) : sort.numericType === 'double';
  const isCut = FLOATING.has(type) && !isFloating;
  const isSingle = SINGLE.has(type) && sort.numericType === undefined;
  const sign = sort.order === 'desc' ? -1 : 1;
  const place = new MissingPlace(sort, isFloating ? 'float' : 'integer');
  // For a date: milliseconds, whatever its format.
  const given = typeof sort.missing === 'object' ? numberOf(sort.missing.value) : undefined;
  const replacement = given !== undefined && isSingle ? Math.fround(given) : given;
  const missingKey = replacement === undefined ? place.key : sign * (isFloating ? replacement : toLong(replacement));
  const keys = fillKeys(sort, column, matches, { sign, missingKey, isFloating, isCut, isSingle });
  const { format } = sort;
  // A date converted to `double` is returned as a number.
  const isDate = type === 'date' && !isFloating;
  const dateFormat = isDate && format !== undefined ? dateFormatOf(field, format, sort.path) : undefined;
  return {
    kind: 'number',
    keys,
    show: (position): JsonValue => {
      const key = keys[position] as number;
      // Missing, or an overflow of 32 bits.
      if (!Number.isFinite(key)) return String(sign * key);
      const value = isSingle ? toFloat(sign * key) + 0 : sign * key + 0;
      // The value returned for a missing date isn't a date.
      const isText = dateFormat !== undefined && Math.abs(value) < MAX_LONG;
      return isText ? dateFormat.format(value) : value;
    },
    keyOf: (value) => {
      if (value === null) return missingKey;
      const given = isDate && typeof value === 'string' ? dateOf(field, sort, value, nowMs) : numberOf(value);
      // Hits contain as many digits as 32 bits need.
      return sign * (isSingle ? Math.fround(given) : isFloating ? given : toLong(given));
    },
  };
}

function dateOf(field: CompiledField | undefined, sort: FieldSort, text: string, nowMs: number): number {
  const format = dateFormatOf(field, sort.format, sort.path);
  const ms = parseDateMath(text, { format, nowMs });
  if (ms !== undefined) return ms;
  throw new Refusal(`search_after holds ${JSON.stringify(text)}, which is no date of the format of "${sort.field}"`);
}

interface KeyOptions {
  readonly sign: 1 | -1;
  readonly missingKey: number;
  readonly isFloating: boolean;
  readonly isCut: boolean;
  readonly isSingle: boolean;
}

function fillKeys(
  sort: FieldSort,
  column: NumberColumn | undefined,
  { slots }: Matches,
  { sign, missingKey, isFloating, isCut, isSingle }: KeyOptions,
): Float64Array {
  const keys = new Float64Array(slots.length);
  if (column === undefined) return keys.fill(missingKey);
  const { values, length, more } = column;
  const hasMore = more.size > 0 && sort.mode !== 'min';
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    let value = slot < length ? (values[slot] as number) : NaN;
    if (hasMore) {
      const several = more.get(slot);
      if (several !== undefined) {
        const read = isCut ? several.map(toLong) : several;
        const reduced = reduceByMode(read, sort.mode, !isFloating);
        // Compared with the precision of the values in hits, which `search_after` passes back.
        value = isSingle ? Math.fround(reduced) : reduced;
      }
    }
    keys[i] = Number.isNaN(value) ? missingKey : sign * (isCut ? toLong(value) : value);
  }
  return keys;
}
