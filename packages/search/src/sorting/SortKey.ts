import type { JsonValue } from '@millrace/query';

/** One criterion, computed for the matches of one search. Matches are named by their position. */
export type SortKey = NumberSortKey | TextSortKey;

/** A criterion by number. */
export interface NumberSortKey {
  readonly kind: 'number';
  /** By position; lower comes first: direction and missing values are already in it. */
  readonly keys: Float64Array;
  /** The value shown in `sort` of a hit. */
  show(position: number): JsonValue;
  /** The key that a value of `search_after` stands for. @throws Refusal */
  keyOf(value: JsonValue): number;
}

/** A criterion by text that has no rank: the document's id. */
export interface TextSortKey {
  readonly kind: 'text';
  readonly isDescending: boolean;
  textAt(position: number): string;
  show(position: number): JsonValue;
  textOf(value: JsonValue): string;
}
