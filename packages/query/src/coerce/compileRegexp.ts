import { parseRegexp, RegexpAutomaton } from '@millrace/language';
import { invalid } from '../errors.js';

/** Options of a regular expression. */
export interface RegexpOptions {
  /** `ALL`, `NONE` or names joined by `|`. */
  readonly flags: string;
  readonly caseInsensitive: boolean;
  readonly path: string;
}

/**
 * Compiles a regular expression in Lucene's syntax to a test of whole terms. A test takes time linear in the length of
 * the term.
 * @throws QueryError for a syntax error, or if the expression needs too many states
 */
export function compileRegexp(pattern: string, options: RegexpOptions): (term: string) => boolean {
  const automaton = new RegexpAutomaton();
  const { flags, caseInsensitive, path } = options;
  try {
    const root = parseRegexp(
      pattern,
      { operators: operatorsOf(flags), caseInsensitive },
      automaton,
    );
    return (term) => automaton.matches(root, term);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(
      path,
      `Invalid regular expression ${JSON.stringify(pattern)}: ${error.message} (at ${path})`,
    );
  }
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['COMPLEMENT', '~'],
  ['INTERVAL', '<'],
  ['INTERSECTION', '&'],
  ['ANYSTRING', '@'],
  ['EMPTY', '#'],
]);

function operatorsOf(flags: string): ReadonlySet<string> {
  const names = flags === 'ALL' || flags === '' ? [...OPERATORS.keys()] : flags.split('|');
  return new Set(names.map((name) => OPERATORS.get(name) ?? ''));
}
