import type { CompiledField } from '../mapping/CompiledMapping.js';
import type { Analyzer } from './Analyzer.js';
import { TokenList } from './TokenList.js';

/** The words that an analyzer produces from a string. */
export function wordsOf({ analyze }: Analyzer, text: string): TokenList {
  const words = new TokenList();
  analyze(text, words, 0);
  return words;
}

/**
 * The analyzer with the given name in the mapping of a field.
 * @throws Error for a name that the checks should have refused
 */
export function analyzerOf(
  { analyzers }: Pick<CompiledField, 'analyzers'>,
  name: string,
): Analyzer {
  const analyzer = analyzers.get(name);
  if (analyzer === undefined) throw new Error(`No analyzer "${name}"`);
  return analyzer;
}
