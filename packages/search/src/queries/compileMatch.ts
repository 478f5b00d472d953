import { resolveMinimumShouldMatch, type BoundMatch, type FuzzyTextOptions, type MatchQuery } from '@millrace/query';
import type { TextField } from '../fields/TextField.js';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { allOf, anyOf } from './anyOf.js';
import { fuzzyNode } from './fuzzy.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';
import { NO_DOCUMENT } from './setNode.js';

/** Any or all words of the query. */
export function compileMatch(query: BoundMatch, scope: SearchScope): QueryNode {
  const index = indexOf(scope, query.mapped);
  if (index?.kind !== 'text') return NO_DOCUMENT;
  const nodes = query.words.map(({ terms }) => wordsNode(index, terms, query, scope));
  return combineWords(nodes, query, scope);
}

/** Any of the terms at one position. Several (synonyms) are searched without fuzziness. */
export function wordsNode(
  index: TextField,
  terms: readonly string[],
  query: FuzzyTextOptions & { readonly boost: number },
  scope: SearchScope,
): QueryNode {
  const { fuzziness, boost } = query;
  const [only] = terms;
  if (fuzziness !== undefined && only !== undefined && terms.length === 1) {
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return fuzzyNode(index, only, options, boost, scope);
  }
  return anyOf(
    terms.map((term) => new TextTermNode(index, term, boost)),
    scope,
  );
}

/** Requires as many of the words as the query specifies. */
export function combineWords(
  nodes: readonly QueryNode[],
  { operator, minimumShouldMatch }: Pick<MatchQuery, 'operator' | 'minimumShouldMatch'>,
  scope: SearchScope,
): QueryNode {
  if (nodes.length === 0) return NO_DOCUMENT;
  if (operator === 'and') return allOf(nodes, scope);
  // A single word must match whatever the minimum.
  const minimum =
    minimumShouldMatch === undefined || nodes.length === 1
      ? 1
      : resolveMinimumShouldMatch(minimumShouldMatch, nodes.length);
  return minimum > nodes.length ? NO_DOCUMENT : anyOf(nodes, scope, Math.max(minimum, 1));
}
