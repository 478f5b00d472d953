import { resolveMinimumShouldMatch, type MatchQuery } from '@millrace/query';
import { analyzerOf } from '../analysis/Analyzer.js';
import { TokenList } from '../analysis/TokenList.js';
import { Refusal } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { BoolNode } from './BoolNode.js';
import { valueNode } from './compileTerm.js';
import { fuzzyNode } from './fuzzy.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { TextTermNode } from './TextTermNode.js';

/** A text, analysed as the field's texts are, and compared token by token. */
export function compileMatch(query: MatchQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  if (field.type !== 'text') return compileExact(query, scope);
  const tokens = new TokenList();
  analyzerOf(query.analyzer ?? field.searchAnalyzer)(String(query.query), tokens, 0);
  if (tokens.length === 0) {
    return query.zeroTermsQuery === 'all' ? new AllNode(scope.index, query.boost) : new NoneNode();
  }
  const index = scope.index.indexOf(field);
  if (index?.kind !== 'text') return new NoneNode();
  const { fuzziness } = query;
  const nodes = tokens.terms.map((term): QueryNode => {
    if (fuzziness === undefined) return new TextTermNode(index, term, query.boost);
    const options = { ...query, fuzziness, transpositions: query.fuzzyTranspositions };
    return fuzzyNode(index, term, options, query.boost, scope);
  });
  return combine(nodes, query, scope);
}

function combine(nodes: readonly QueryNode[], query: MatchQuery, scope: SearchScope): QueryNode {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  const none: readonly QueryNode[] = [];
  if (query.operator === 'and') {
    return new BoolNode(scope.index, {
      must: nodes,
      filter: none,
      should: none,
      mustNot: none,
      minimumShouldMatch: 0,
      boost: 1,
    });
  }
  const minimum =
    query.minimumShouldMatch === undefined
      ? 1
      : resolveMinimumShouldMatch(query.minimumShouldMatch, nodes.length);
  if (minimum > nodes.length) return new NoneNode();
  return new BoolNode(scope.index, {
    must: none,
    filter: none,
    should: nodes,
    mustNot: none,
    minimumShouldMatch: Math.max(1, minimum),
    boost: 1,
  });
}

/** Other fields than text compare the whole value. */
function compileExact(query: MatchQuery, scope: SearchScope): QueryNode {
  const field = queriedField(scope, query);
  if (field === undefined) return new NoneNode();
  const index = scope.index.indexOf(field);
  if (query.fuzziness !== undefined) {
    if (field.type !== 'keyword') {
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
  try {
    return valueNode(field, query.query, query.boost, query.path, scope);
  } catch (error) {
    if (query.lenient) return new NoneNode();
    throw error;
  }
}
