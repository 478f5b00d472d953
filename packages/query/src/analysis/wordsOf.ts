import { analyzerOf } from './Analyzer.js';
import { TokenList } from './TokenList.js';

/** The words that an analyzer makes of a text. */
export function wordsOf(analyzer: string, text: string): TokenList {
  const words = new TokenList();
  analyzerOf(analyzer)(text, words, 0);
  return words;
}
