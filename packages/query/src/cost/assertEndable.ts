import { QueryError } from '../errors.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { JsonScalar } from '../tree/Json.js';
import type { ExpandedQuery } from '../tree/Query.js';
import { countWords } from './leafWork.js';
import { regexpSize } from './regexpSize.js';

const MAX_REPEATS = 20;
/** Automata multiply in them; a server of version 9 does not stop before its memory is full. */
const MAX_BUILT = 4;
const MAX_FUZZY_LENGTH = 1_000;
/** As many as servers of version 8 make. */
const MAX_STATES = 10_000;

/**
 * Refuses what the server would not end before it is done, however long that takes: it looks for a closed connection
 * between documents, and not while it puts the places of a repeated word to each other in one document (a word 1,000
 * times: hours) or builds the automaton of a long word or, from version 9 on, of repeated repetitions.
 * @throws QueryError
 */
export function assertEndable(query: ExpandedQuery, compiled: CompiledMapping): void {
  switch (query.kind) {
    case 'match_phrase':
    case 'match_phrase_prefix':
      if (query.slop > 0 && Math.max(0, ...countWords(query.query).values()) > MAX_REPEATS) {
        const what = `A phrase with slop may have each word ${MAX_REPEATS} times`;
        throw new QueryError('invalid', query.path, `${what} (at ${query.path})`);
      }
      return;
    case 'regexp':
      if ((query.value.replaceAll(/\\./gs, '').match(/[~&]/g)?.length ?? 0) > MAX_BUILT) {
        const what = `A regular expression may have ${MAX_BUILT} complements and intersections`;
        throw new QueryError('invalid', query.path, `${what} (at ${query.path})`);
      }
      if (regexpSize(query.value) > MAX_STATES) {
        const what = `A regular expression may have ${MAX_STATES} states`;
        throw new QueryError(
          'invalid',
          query.path,
          `${what}, repetitions counted (at ${query.path})`,
        );
      }
      return;
    case 'fuzzy':
      assertLength(String(query.value), query.path);
      return;
    case 'match':
    case 'match_bool_prefix': {
      if (query.fuzziness === undefined) return;
      const field = compiled.fields.get(query.field);
      const analyzer = compiled.analyzers.get(query.analyzer ?? field?.searchAnalyzer ?? '');
      const isOneWord = field?.type !== 'text' || analyzer?.isOfWords !== true;
      const longest = isOneWord ? String(query.query) : longestWord(query.query);
      assertLength(longest, query.path);
      return;
    }
    default:
  }
}

function assertLength(word: string, path: string): void {
  if (word.length <= MAX_FUZZY_LENGTH) return;
  const what = `A word to find similar ones for may have ${MAX_FUZZY_LENGTH} characters`;
  throw new QueryError('invalid', path, `${what}, not ${word.length} (at ${path})`);
}

function longestWord(text: JsonScalar): string {
  let longest = '';
  for (const word of String(text).split(/\s+/)) if (word.length > longest.length) longest = word;
  return longest;
}
