import { compileLucenePattern, type LucenePatternOptions, PatternFault } from '@millrace/language';
import { invalid } from '../errors.js';

/** Options of a regular expression. */
export interface RegexpOptions extends LucenePatternOptions {
  readonly path: string;
}

/**
 * Compiles a regular expression in Lucene's syntax to a test of whole terms.
 * @throws QueryError for a syntax error, an operator that isn't supported, or too many steps
 */
export function compileRegexp(pattern: string, options: RegexpOptions): (term: string) => boolean {
  try {
    return compileLucenePattern(pattern, options);
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    throw invalid(
      options.path,
      `Invalid regular expression ${JSON.stringify(pattern)}: ${error.message} (at ${options.path})`,
    );
  }
}
