import type { JsonValue } from '@millrace/language';
import { MAX_LONG, type FieldSort } from '@millrace/query';

/** One criterion, computed for the matches of one search. Matches are identified by their position. */
export type SortKey = NumberSortKey | TextSortKey;

/** A criterion by number. */
export interface NumberSortKey {
  readonly kind: 'number';
  /** By position; lower sorts first: direction and missing values are already included. */
  readonly keys: Float64Array;
  /** The value in `sort` of a hit. */
  show(position: number): JsonValue;
  /** The key for a value of `search_after`. @throws Refusal */
  keyOf(value: JsonValue): number;
}

/** A criterion by strings without a rank: the document's id. */
export interface TextSortKey {
  readonly kind: 'text';
  readonly isDescending: boolean;
  textAt(position: number): string;
  show(position: number): JsonValue;
  textOf(value: JsonValue): string;
}

/**
 * The position of documents without a value, and the sort value returned for them: a bound of 64-bit integers for whole
 * numbers, an infinity for fractions, null for terms. Not for `missing` with a value.
 */
export class MissingPlace {
  readonly key: number;
  readonly shown: JsonValue;

  constructor(sort: Pick<FieldSort, 'order' | 'missing'>, form: 'integer' | 'float' | 'text') {
    const isFirst = sort.missing === 'first';
    // Whole numbers: equal to the returned value, so that `search_after` finds its position.
    const border = form === 'integer' ? MAX_LONG : Infinity;
    this.key = isFirst ? -border : border;
    const isHighest = isFirst === (sort.order === 'desc');
    if (form === 'text') this.shown = null;
    else if (form === 'float') this.shown = isHighest ? 'Infinity' : '-Infinity';
    else this.shown = isHighest ? MAX_LONG : -MAX_LONG;
  }
}
