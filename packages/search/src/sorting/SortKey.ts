import type { JsonValue } from '@millrace/language';

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
