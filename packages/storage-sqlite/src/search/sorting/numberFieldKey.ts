import type { CompiledField, FieldSort, JsonValue } from '@millrace/query';
import type { NumberColumn } from '../columns/NumberColumn.js';
import { dateFormatOf, readTerm } from '../queries/fieldValues.js';
import type { Matches } from '../queries/Matches.js';
import { Refusal } from '../Refusal.js';
import { MissingPlace } from './MissingPlace.js';
import { numberOf } from './numberOf.js';
import type { NumberSortKey } from './SortKey.js';
import { reduceByMode } from './sortModes.js';

const FLOATING = new Set(['float', 'double', 'half_float', 'scaled_float']);

/** Values beyond stand for missing ones in `search_after`, as they do in what hits show. */
const LONG_BORDER = 2 ** 63;

/** The criterion of a number, date or boolean field. */
export function numberFieldKey(
  sort: FieldSort,
  field: CompiledField,
  column: NumberColumn | undefined,
  matches: Matches,
  nowMs: number,
): NumberSortKey {
  const isFloating = FLOATING.has(field.type);
  const sign = sort.order === 'desc' ? -1 : 1;
  const place = new MissingPlace(
    sort,
    isFloating || sort.numericType === 'double' ? 'float' : 'integer',
  );
  const replacement =
    typeof sort.missing === 'object'
      ? Number(
          readTerm(field, sort.missing.value, sort.path, nowMs) ?? numberOf(sort.missing.value),
        )
      : undefined;
  const missingKey = replacement === undefined ? place.key : sign * replacement;
  const keys = fillKeys(sort, column, matches, { sign, missingKey, isFloating });
  const { format } = sort;
  const dateFormat =
    field.type === 'date' && format !== undefined
      ? dateFormatOf(field, format, sort.path)
      : undefined;
  return {
    kind: 'number',
    keys,
    show: (position): JsonValue => {
      const key = keys[position] as number;
      if (key === Infinity || key === -Infinity) return place.shown;
      const value = sign * key + 0;
      return dateFormat === undefined ? value : dateFormat.format(value);
    },
    keyOf: (value) => {
      if (value === null) return missingKey;
      const number =
        field.type === 'date' && typeof value === 'string'
          ? dateOf(field, sort, value)
          : numberOf(value);
      if (replacement === undefined && Math.abs(number) >= LONG_BORDER) return place.key;
      return sign * number;
    },
  };
}

function dateOf(field: CompiledField, sort: FieldSort, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  const ms = dateFormatOf(field, sort.format, sort.path).parse(text);
  if (ms !== undefined) return ms;
  throw new Refusal(
    `search_after holds ${JSON.stringify(text)}, which is no date of the format of "${field.name}"`,
  );
}

interface KeyOptions {
  readonly sign: 1 | -1;
  readonly missingKey: number;
  readonly isFloating: boolean;
}

function fillKeys(
  sort: FieldSort,
  column: NumberColumn | undefined,
  { slots }: Matches,
  { sign, missingKey, isFloating }: KeyOptions,
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
      if (several !== undefined) value = reduceByMode(several, sort.mode, !isFloating);
    }
    keys[i] = Number.isNaN(value) ? missingKey : sign * value;
  }
  return keys;
}
