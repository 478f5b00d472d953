import type { JsonValue } from '@millrace/language';
import { coerceIndexed, type CompiledField, type FieldSort } from '@millrace/query';
import { SEVERAL_TERMS, type TermColumn } from '../columns/TermColumn.js';
import { compareTerms } from '../columns/TermDictionary.js';
import { showTerm } from '../fields/TermField.js';
import type { Matches } from '../queries/Matches.js';
import { MissingPlace, type NumberSortKey } from './SortKey.js';

/** The criterion of a keyword, ip or fielddata text field: by the rank of the term. */
export function termFieldKey(
  sort: FieldSort,
  field: CompiledField,
  column: TermColumn | undefined,
  matches: Matches,
): NumberSortKey {
  const sign = sort.order === 'desc' ? -1 : 1;
  const place = new MissingPlace(sort, 'text');
  const dictionary = column?.dictionary;
  const order = dictionary?.inOrder() ?? new Int32Array(0);
  const keyOfTerm = (term: string) => {
    const rank = dictionary?.rankOf(term) ?? 0;
    const isKnown = dictionary?.find(term) !== undefined;
    // A term that no document has is between its neighbours.
    return sign * (isKnown ? rank : rank - 0.5);
  };
  const replacement = typeof sort.missing === 'object' ? missingText(field, sort) : undefined;
  const missingKey = replacement === undefined ? place.key : keyOfTerm(replacement);
  const keys = fillKeys(column, matches, { sign, missingKey, wantsHighest: sort.mode === 'max' });
  return {
    kind: 'number',
    keys,
    show: (position): JsonValue => {
      const key = keys[position] as number;
      if (key === missingKey && (replacement === undefined || !Number.isInteger(key))) {
        return replacement === undefined ? null : showTerm(field, replacement);
      }
      return showTerm(field, dictionary?.term(order[sign * key] as number) ?? '');
    },
    keyOf: (value) => {
      if (value === null) return missingKey;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const term = String(coerceIndexed(field, text, sort.path, 0) ?? text);
      const key = keyOfTerm(term);
      // A term that no document has may sort before or after the replacement for missing values.
      if (replacement === undefined || key !== missingKey) return key;
      return key + Math.sign(compareTerms(term, replacement)) * sign * 0.25;
    },
  };
}

interface KeyOptions {
  readonly sign: 1 | -1;
  readonly missingKey: number;
  readonly wantsHighest: boolean;
}

function fillKeys(
  column: TermColumn | undefined,
  { slots }: Matches,
  { sign, missingKey, wantsHighest }: KeyOptions,
): Float64Array {
  const keys = new Float64Array(slots.length);
  if (column === undefined) return keys.fill(missingKey);
  const { codes, length, more } = column;
  const ranks = column.dictionary.ranks();
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const code = slot < length ? (codes[slot] as number) : -1;
    if (code >= 0) keys[i] = sign * (ranks[code] as number);
    else if (code === SEVERAL_TERMS) {
      keys[i] = sign * extremeRank(more.get(slot) as Int32Array, ranks, wantsHighest);
    } else keys[i] = missingKey;
  }
  return keys;
}

function extremeRank(codes: Int32Array, ranks: Int32Array, wantsHighest: boolean): number {
  let extreme = ranks[codes[0] as number] as number;
  for (let i = 1; i < codes.length; i += 1) {
    const rank = ranks[codes[i] as number] as number;
    extreme = wantsHighest ? Math.max(extreme, rank) : Math.min(extreme, rank);
  }
  return extreme;
}

/** As given: a normalizer doesn't apply to it. */
function missingText(field: CompiledField, { missing, path }: FieldSort): string {
  const value = typeof missing === 'object' ? missing.value : '';
  return String(field.type === 'ip' ? (coerceIndexed(field, value, path, 0) ?? value) : value);
}
