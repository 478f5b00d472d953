import type { Analyzer } from '@millrace/language';
import type { CompiledField } from './CompiledMapping.js';

/**
 * The analyzer with the given name in the mapping of a field.
 * @throws Error for a name that the checks should have refused
 */
export function analyzerOf({ analyzers }: Pick<CompiledField, 'analyzers'>, name: string): Analyzer {
  const analyzer = analyzers.get(name);
  if (analyzer === undefined) throw new Error(`No analyzer "${name}"`);
  return analyzer;
}
