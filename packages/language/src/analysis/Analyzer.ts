import { TokenList } from './TokenList.js';

/** Converts text to terms. One instance per definition, stored with the mapping; it keeps no state between calls. */
export interface Analyzer {
  /** The name in mappings and requests. */
  readonly name: string;
  /**
   * Adds the terms of `text` to `tokens`, with positions counted from `position`.
   * @returns the position after the last
   */
  readonly analyze: (text: string, tokens: TokenList, position: number) => number;
  /**
   * Normalizes part of a word, such as the beginning before a `*`: case and signs, but no stemming and no stop words.
   */
  readonly normalize: (text: string) => string;
  /** Whether several terms can share a position, as n-grams of a word do. */
  readonly stacks: boolean;
  /** Whether white space ends a term. */
  readonly isOfWords: boolean;
}

/** The words that an analyzer produces from a string. */
export function wordsOf({ analyze }: Analyzer, text: string): TokenList {
  const words = new TokenList();
  analyze(text, words, 0);
  return words;
}
