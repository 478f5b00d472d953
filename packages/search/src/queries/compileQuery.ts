import type { BoundQuery } from '@millrace/query';
import type { SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { BoolNode } from './BoolNode.js';
import { BoostingNode } from './BoostingNode.js';
import { compileCrossFields } from './compileCrossFields.js';
import { compileExists } from './compileExists.js';
import {
  compileBoundingBox,
  compileGeoDistance,
  compilePolygon,
  compileShape,
} from './compileGeo.js';
import { compileMatch } from './compileMatch.js';
import {
  compileFuzzy,
  compilePrefix,
  compileRegexpQuery,
  compileWildcard,
} from './compilePatterns.js';
import { compileBoolPrefix, compilePhrase, compilePhrasePrefix } from './compilePhrase.js';
import { compileNested } from './compileNested.js';
import { compileRange } from './compileRange.js';
import { compileTerm, compileTerms } from './compileTerm.js';
import { ConstantScoreNode } from './ConstantScoreNode.js';
import { DisMaxNode } from './DisMaxNode.js';
import { FunctionScoreNode } from './FunctionScoreNode.js';
import { NoneNode } from './NoneNode.js';
import type { QueryNode } from './QueryNode.js';
import { compileScoreFunction } from './scoreFunctions.js';
import { SlotsNode } from './SlotsNode.js';

/** Compiles a query for the index of a scope. */
export function compileQuery(query: BoundQuery, scope: SearchScope): QueryNode {
  scope.deadline.check();
  const { index } = scope;
  const all = (queries: readonly BoundQuery[]) =>
    queries.map((inner) => compileQuery(inner, scope));
  switch (query.kind) {
    case 'match_all':
      return new AllNode(index, query.boost);
    case 'match_none':
      return new NoneNode();
    case 'term':
      return compileTerm(query, scope);
    case 'terms':
      return compileTerms(query, scope);
    case 'range':
      return compileRange(query, scope);
    case 'exists':
      return compileExists(query, scope);
    case 'ids':
      return new SlotsNode(scope.findIds(query.values), query.boost);
    case 'prefix':
      return compilePrefix(query, scope);
    case 'wildcard':
      return compileWildcard(query, scope);
    case 'regexp':
      return compileRegexpQuery(query, scope);
    case 'fuzzy':
      return compileFuzzy(query, scope);
    case 'match':
      return compileMatch(query, scope);
    case 'match_phrase':
      return compilePhrase(query, scope);
    case 'match_phrase_prefix':
      return compilePhrasePrefix(query, scope);
    case 'match_bool_prefix':
      return compileBoolPrefix(query, scope);
    case 'cross_fields':
      return compileCrossFields(query, scope);
    case 'bool': {
      const clauses = {
        must: all(query.must),
        filter: all(query.filter),
        should: all(query.should),
        mustNot: all(query.mustNot),
        minimumShouldMatch: query.minimumShouldMatch,
        boost: query.boost,
      };
      const isEmpty = [query.must, query.filter, query.should, query.mustNot].every(
        (list) => list.length === 0,
      );
      if (clauses.minimumShouldMatch > query.should.length) return new NoneNode();
      return isEmpty
        ? new AllNode(index, query.boost)
        : new BoolNode(index, clauses, scope.deadline);
    }
    case 'constant_score':
      return new ConstantScoreNode(compileQuery(query.filter, scope), query.boost);
    case 'dis_max':
      return new DisMaxNode(scope, all(query.queries), query.tieBreaker, query.boost);
    case 'boosting':
      return new BoostingNode(
        compileQuery(query.positive, scope),
        compileQuery(query.negative, scope),
        query.negativeBoost,
        query.boost,
      );
    case 'function_score':
      return new FunctionScoreNode(
        index,
        compileQuery(query.query, scope),
        query.functions.map((entry) => ({
          filter: entry.filter && compileQuery(entry.filter, scope),
          weight: entry.weight,
          valueOf: compileScoreFunction(entry.function, scope),
        })),
        query,
        scope.deadline,
      );
    case 'geo_distance':
      return compileGeoDistance(query, scope);
    case 'geo_bounding_box':
      return compileBoundingBox(query, scope);
    case 'nested':
      return compileNested(query, scope);
    case 'geo_polygon':
      return compilePolygon(query, scope);
    case 'geo_shape':
      return compileShape(query, scope);
  }
}
