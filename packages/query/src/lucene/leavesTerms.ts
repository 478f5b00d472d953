import type { Analyzer } from '../analysis/Analyzer.js';
import { TokenList } from '../analysis/TokenList.js';

const tokens = new TokenList();

/** Whether an analyzer leaves anything of a text: of a stop word or a lone sign it may leave nothing. */
export function leavesTerms({ analyze }: Analyzer, text: string): boolean {
  tokens.clear();
  analyze(text, tokens, 0);
  return tokens.length > 0;
}
