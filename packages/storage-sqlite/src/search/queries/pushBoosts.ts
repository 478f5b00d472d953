/*
 * Lucene hands boosts down to the parts of a query. That shows where a function_score does more than multiply, or has a
 * minimum: its query is boosted and its functions are not. Here each query with a function_score somewhere gets the boosts
 * as Lucene would hand them down: compound parts keep the boost 1.
 *
 * Where nobody looks at scores Lucene strips a query of its boost, and a `bool` so stripped does that to its clauses; what
 * stands deeper in other queries keeps its own. A minimum of a function_score sees which.
 */
import type { BoolQuery, ExpandedQuery, Query } from '@millrace/query';

/** What a query is asked for: scores, documents alone (stripped), or documents by a server that does not strip it. */
export type QueryUse = 'scores' | 'documents' | 'unstripped documents';

/** A query with its boosts where Lucene would look at them. */
export function pushBoosts(query: ExpandedQuery, use: QueryUse): ExpandedQuery {
  if (!hasFunctions(query)) return query;
  const placed = use === 'documents' ? stripped(query) : pushed(query, 1, use === 'scores');
  return placed as ExpandedQuery;
}

function hasFunctions(query: Query): boolean {
  switch (query.kind) {
    case 'function_score':
      return true;
    case 'bool':
      return [query.must, query.filter, query.should, query.mustNot].some((list) =>
        list.some(hasFunctions),
      );
    case 'dis_max':
      return query.queries.some(hasFunctions);
    case 'boosting':
      return hasFunctions(query.positive) || hasFunctions(query.negative);
    case 'nested':
      return hasFunctions(query.query);
    case 'constant_score':
      return hasFunctions(query.filter);
    default:
      return false;
  }
}

/** @param outer the boosts of the queries around it that are handed down to it */
function pushed(query: Query, outer: number, isScored: boolean): Query {
  const { path } = query;
  // Lucene has no scores computed that come to nothing.
  if (query.boost === 0) return { kind: 'constant_score', filter: stripped(query), boost: 0, path };
  const boost = query.boost * outer;
  const push = (part: Query): Query => pushed(part, boost, isScored);
  switch (query.kind) {
    case 'bool':
      return pushedBool(query, boost, push);
    case 'dis_max':
      return { ...query, queries: query.queries.map(push), boost: 1 };
    case 'boosting': {
      // Hands nothing down, and has both parts scored.
      const positive = pushed(query.positive, 1, isScored);
      return { ...query, positive, negative: pushed(query.negative, 1, true), boost };
    }
    case 'nested': {
      const isRead = isScored && query.scoreMode !== 'none';
      return { ...query, query: isRead ? push(query.query) : stripped(query.query), boost: 1 };
    }
    case 'function_score': {
      const functions = query.functions.map(({ filter, ...rest }) =>
        filter === undefined ? rest : { ...rest, filter: pushed(filter, 1, false) },
      );
      const isRead = query.boostMode !== 'replace' && (isScored || query.minScore !== undefined);
      return { ...query, query: pushed(query.query, boost, isRead), functions, boost: 1 };
    }
    case 'constant_score':
      return { ...query, filter: stripped(query.filter), boost };
    default:
      return { ...query, boost };
  }
}

function pushedBool(query: BoolQuery, boost: number, push: (part: Query) => Query): BoolQuery {
  const { must, filter, should, mustNot } = query;
  const [only] = must;
  // Filters beside a clause that matches everything, and one by itself, become a query with a score of its own.
  const isAll = must.length === 1 && only?.kind === 'match_all';
  const isAlone = must.length + should.length + mustNot.length === 0 && filter.length === 1;
  const handed = isAlone || (isAll && filter.length > 0) ? 1 : boost;
  return {
    ...query,
    must: must.map(push),
    should: should.map(push),
    filter: filter.map((clause) => stripped(clause, handed)),
    mustNot: mustNot.map((clause) => stripped(clause, handed)),
    boost: 1,
  };
}

/** A query of which nobody looks at the scores. @param outer what a `bool` hands down to its filters all the same */
function stripped(query: Query, outer = 1): Query {
  const bare = { ...query, boost: 1 };
  switch (bare.kind) {
    case 'bool': {
      const strip = (clause: Query): Query => stripped(clause, outer);
      const { must, filter, should, mustNot } = bare;
      return {
        ...bare,
        must: must.map(strip),
        filter: filter.map(strip),
        should: should.map(strip),
        mustNot: mustNot.map(strip),
      };
    }
    case 'constant_score':
      return { ...bare, filter: stripped(bare.filter, outer) };
    case 'dis_max': {
      // One query, or the sum of several: no choice to be made between scores.
      const isPlain = bare.queries.length === 1 || bare.tieBreaker === 1;
      if (!isPlain) return pushed(bare, outer, false);
      return { ...bare, queries: bare.queries.map((clause) => stripped(clause, outer)) };
    }
    default:
      return pushed(bare, outer, false);
  }
}
