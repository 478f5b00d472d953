import { wordsOf } from '@millrace/language';
import { analyzerOf } from '../analysis/analyzerOf.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type { MatchPhrasePrefixQuery, MatchPhraseQuery } from '../tree/Query.js';
import { isPlainValue } from './isPlainValue.js';

/**
 * Phrases of several words need a field with positions; prefixes of words need a field of type text. A lenient query
 * matches nothing there instead.
 * @throws QueryError
 */
export function assertPhrase(
  field: CompiledField,
  query: MatchPhraseQuery | MatchPhrasePrefixQuery,
): void {
  const isText = field.type === 'text';
  if (query.lenient || (isText && field.hasPositions) || isPlainValue(field, query)) return;
  const own = isText ? field.searchQuoteAnalyzer : 'keyword';
  const words = wordsOf(analyzerOf(field, query.analyzer ?? own), String(query.query));
  const isAsked = words.length > 0 || query.analyzer === undefined;
  if (!isText && query.kind === 'match_phrase_prefix' && isAsked) {
    throw invalid(
      query.path,
      `match_phrase_prefix at ${query.path} needs a text field; ${quote(field.name)} is ${field.type}`,
    );
  }
  if (words.positions.some((position) => position !== words.positions[0])) {
    throw invalid(
      query.path,
      `${query.kind} of several words at ${query.path} needs a field with positions; ${quote(field.name)} keeps none`,
    );
  }
}
