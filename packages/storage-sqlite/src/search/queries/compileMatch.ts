import { resolveMinimumShouldMatch, type FuzzyTextOptions, type MatchQuery } from '@millrace/query';
import type { TextField } from '../fields/TextField.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { analyse } from './analyse.js';
import { allOf, anyOf } from './anyOf.js';
import { valueNode } from './compileTerm.js';
import { fuzzyNode } from './fuzzy.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

/** Each token is a clause: section 8's limit of clauses holds for them too, as it does in Lucene. */
const MAX_TOKENS = 1_024;

/** A text, analysed as the field's texts are, and compared token by token. */
export function compileMatch(query: MatchQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text') return compileExact(query, scope);
  const tokens = analyse(field, query.query, query.analyzer);
  if (tokens.length === 0) {
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, query.boost) : new NoneNode();
  }
  if (tokens.length > MAX_TOKENS) {
    throw new Refusal(
      `The text for "${field.name}" has ${tokens.length} tokens, expected at most ${MAX_TOKENS} (at ${query.path})`,
    );
  }
  const index = scope.index.indexOf(field);
  if (index?.kind !== 'text') return new NoneNode();
  return combineTokens(
    tokens.terms.map((term) => tokenNode(index, term, query, scope)),
    query,
    scope,
  );
}

/** One token, or what is like it where the query asks for that. */
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

/** As many of the tokens as the query asks for. */
export function combineTokens(
  nodes: readonly QueryNode[],
  query: Pick<MatchQuery, 'operator' | 'minimumShouldMatch'>,
  scope: SearchScope,
): QueryNode {
  if (nodes.length === 0) return new NoneNode();
  if (query.operator === 'and') return allOf(nodes, scope);
  const minimum =
    query.minimumShouldMatch === undefined
      ? 1
      : resolveMinimumShouldMatch(query.minimumShouldMatch, nodes.length);
  // One token matches whatever the minimum says.
  if (nodes.length > 1 && minimum > nodes.length) return new NoneNode();
  return anyOf(nodes, scope, Math.max(1, minimum));
}

/** Other fields than text compare the whole value. */
function compileExact(query: MatchQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  const index = scope.index.indexOf(field);
  if (query.fuzziness !== undefined) {
    if (field.type !== 'keyword') {
      if (query.lenient) return new NoneNode();
      throw new Refusal(
        `fuzziness can't be used on the field "${field.name}" of type ${field.type} (at ${query.path})`,
      );
    }
    if (index?.kind !== 'term') return new NoneNode();
    const options = {
      ...query,
      fuzziness: query.fuzziness,
      transpositions: query.fuzzyTranspositions,
    };
    return fuzzyNode(index, String(query.query), options, query.boost, scope);
  }
  if (field.type === 'keyword' && query.analyzer !== undefined) {
    const { terms } = analyse(field, query.query, query.analyzer);
    const nodes = terms.map((term) => valueNode(field, term, query.boost, query.path, scope));
    return nodes.length === 0 && query.zeroTermsQuery === 'all'
      ? new AllNode(scope.index, query.boost)
      : combineTokens(nodes, query, scope);
  }
  try {
    return valueNode(field, String(query.query), query.boost, query.path, scope);
  } catch (error) {
    if (query.lenient) return new NoneNode();
    throw error;
  }
}
