import type { Analyzer } from './Analyzer.js';
import { TokenList } from './TokenList.js';

/** The words that an analyzer produces from a string. */
export function wordsOf({ analyze }: Analyzer, text: string): TokenList {
  const words = new TokenList();
  analyze(text, words, 0);
  return words;
}
