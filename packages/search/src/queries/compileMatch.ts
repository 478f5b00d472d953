import {
  isPlainValue,
  resolveMinimumShouldMatch,
  type CompiledField,
  type FuzzyTextOptions,
  type MatchQuery,
} from '@millrace/query';
import type { TextField } from '../fields/TextField.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { allOf, anyOf } from './anyOf.js';
import { byPosition } from './byPosition.js';
import { valueNode } from './compileTerm.js';
import { fuzzyNode } from './fuzzy.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

/** Each token is a clause, and a query has at most 1,024 clauses. */
const MAX_TOKENS = 1_024;

/** Analyses text as the field's text is analysed, and matches it token by token. */
export function compileMatch(query: MatchQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (isPlainValue(field, query))
    return valueNode(field, query.query, query.boost, query.path, scope);
  const words = searchedWords(field, query);
  if (words.length === 0) {
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, query.boost) : new NoneNode();
  }
  const termCount = words.reduce((sum, { length }) => sum + length, 0);
  if (termCount > MAX_TOKENS) {
    throw new Refusal(
      `The text for "${field.name}" has ${termCount} tokens, expected at most ${MAX_TOKENS} (at ${query.path})`,
    );
  }
  const nodes = words.map((terms) => wordsNode(field, terms, query, scope));
  return combineTokens(nodes, query, scope);
}

/** The tokens of the text; without an analyzer the whole string if the field isn't of type text. */
export function searchedTerms(
  field: CompiledField,
  { query, analyzer }: Pick<MatchQuery, 'query' | 'analyzer'>,
): readonly string[] {
  if (field.type !== 'text' && analyzer === undefined) return [String(query)];
  return analyse(field, query, analyzer).terms;
}

/** As `searchedTerms`, grouped by position. */
function searchedWords(
  field: CompiledField,
  { query, analyzer }: Pick<MatchQuery, 'query' | 'analyzer'>,
): readonly (readonly string[])[] {
  if (field.type !== 'text' && analyzer === undefined) return [[String(query)]];
  return byPosition(analyse(field, query, analyzer)).map(({ terms }) => terms);
}

/** Any of the terms at one position. Several (synonyms) are searched without fuzziness. */
export function wordsNode(
  field: CompiledField,
  terms: readonly string[],
  query: FuzzyTextOptions & Pick<MatchQuery, 'boost' | 'lenient' | 'path'>,
  scope: SearchScope,
): QueryNode {
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return wordNode(field, only, query, scope);
  const { fuzziness: _, ...exact } = query;
  const nodes = terms.map((term) => wordNode(field, term, exact, scope));
  return anyOf(nodes, scope);
}

/** One token on a field of any type. @throws Refusal, QueryError unless lenient, if the field can't have the value */
export function wordNode(
  field: CompiledField,
  term: string,
  query: FuzzyTextOptions & Pick<MatchQuery, 'boost' | 'lenient' | 'path'>,
  scope: SearchScope,
): QueryNode {
  const index = scope.index.indexOf(field);
  if (field.type === 'text')
    return index?.kind === 'text' ? tokenNode(index, term, query, scope) : new NoneNode();
  const { fuzziness } = query;
  if (fuzziness !== undefined && field.type === 'keyword') {
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return index?.kind === 'term'
      ? fuzzyNode(index, term, options, query.boost, scope)
      : new NoneNode();
  }
  if (fuzziness === undefined) return lenientValueNode(field, term, query, scope);
  if (query.lenient) return new NoneNode();
  throw new Refusal(
    `fuzziness can't be used on the field "${field.name}" of type ${field.type} (at ${query.path})`,
  );
}

/** As `valueNode`; a lenient query with a value that the field can't have matches nothing. */
export function lenientValueNode(
  field: CompiledField,
  value: string,
  { boost, lenient, path }: Pick<MatchQuery, 'boost' | 'lenient' | 'path'>,
  scope: SearchScope,
): QueryNode {
  try {
    return valueNode(field, value, boost, path, scope);
  } catch (error) {
    if (lenient) return new NoneNode();
    throw error;
  }
}

/** One token, or terms similar to it if the query has `fuzziness`. */
export function tokenNode(
  index: TextField,
  term: string,
  query: FuzzyTextOptions & { readonly boost: number },
  scope: SearchScope,
): QueryNode {
  const { fuzziness } = query;
  if (fuzziness === undefined) return new TextTermNode(index, term, query.boost);
  const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
  return fuzzyNode(index, term, options, query.boost, scope);
}

/** Requires as many of the tokens as the query specifies. */
export function combineTokens(
  nodes: readonly QueryNode[],
  { operator, minimumShouldMatch }: Pick<MatchQuery, 'operator' | 'minimumShouldMatch'>,
  scope: SearchScope,
): QueryNode {
  if (nodes.length === 0) return new NoneNode();
  if (operator === 'and') return allOf(nodes, scope);
  // A single token must match whatever the minimum.
  const minimum =
    minimumShouldMatch === undefined || nodes.length === 1
      ? 1
      : resolveMinimumShouldMatch(minimumShouldMatch, nodes.length);
  return minimum > nodes.length ? new NoneNode() : anyOf(nodes, scope, Math.max(minimum, 1));
}
