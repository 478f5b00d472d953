import type { TokenList } from './TokenList.js';

/** Makes terms of texts. One per definition, kept with the mapping; it has no state between texts. */
export interface Analyzer {
  /** The name in mappings and requests. */
  readonly name: string;
  /**
   * Adds the terms of a text to `tokens`, positions counted on from `position`.
   * @returns the position after the last
   */
  readonly analyze: (text: string, tokens: TokenList, position: number) => number;
  /** What it does to a part of a word, such as the beginning before a `*`: case and signs, neither stems nor stop words. */
  readonly normalize: (text: string) => string;
  /** Whether several terms can have the same position, as n-grams of a word have. */
  readonly stacks: boolean;
  /** Whether white space ends a term. */
  readonly isOfWords: boolean;
}
