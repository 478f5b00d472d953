import type { JsonScalar } from '@millrace/language';
import { QueryError } from '../errors.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Query } from '../tree/Query.js';

const MAX_REPEATS = 20;
const MAX_FUZZY_LENGTH = 1_000;

/**
 * Refuses work that Elasticsearch can't interrupt. It checks for a closed connection between documents, but not while
 * it compares the positions of a repeated word in one document (a word 1,000 times: hours) or builds the automaton of a
 * long word.
 * @throws QueryError
 */
export function assertEndable(query: Query, compiled: CompiledMapping): void {
  switch (query.kind) {
    case 'match_phrase':
    case 'match_phrase_prefix':
      if (query.slop > 0 && mostRepeated(query.query) > MAX_REPEATS) {
        const what = `A phrase with slop may have each word ${MAX_REPEATS} times`;
        throw new QueryError('invalid', query.path, `${what} (at ${query.path})`);
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

/** The number of occurrences of the most frequent word. */
function mostRepeated(text: JsonScalar): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const [word] of String(text)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    most = Math.max(most, count);
  }
  return most;
}
