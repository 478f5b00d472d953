import { Pattern } from './Pattern.js';
import { PatternFault } from './PatternFault.js';
import { translateLucene, type LucenePatternOptions } from './translateLucene.js';

/** The limit of Elasticsearch 8. */
const MAX_STEPS = 10_000;

/**
 * Compiles a regular expression in Lucene's syntax to a test of whole strings, in time linear in their length.
 * @throws PatternFault for a syntax error, an operator that isn't supported, or more than 10,000 steps
 */
export function compileLucenePattern(pattern: string, options: LucenePatternOptions): (text: string) => boolean {
  const compiled = new Pattern(translateLucene(pattern, options), 'su');
  if (compiled.stepCount > MAX_STEPS)
    throw new PatternFault(`it has more than ${MAX_STEPS} steps, repetitions counted`);
  return (text) => compiled.matches(text);
}
