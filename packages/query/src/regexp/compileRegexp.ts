import { invalid } from '../errors.js';
import { parseRegexp } from './parseRegexp.js';
import { RegexpAutomaton } from './RegexpAutomaton.js';

/** How a regular expression is read. */
export interface RegexpOptions {
  /** `ALL`, `NONE` or names joined by `|`. */
  readonly flags: string;
  readonly caseInsensitive: boolean;
  readonly path: string;
}

/**
 * Makes a test for whole terms of a regular expression in Lucene's syntax. A test takes time in proportion to the term.
 * @throws QueryError for a syntax fault, or when the expression needs too many states
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
