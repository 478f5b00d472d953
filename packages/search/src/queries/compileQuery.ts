import type { BoundQuery } from '@millrace/query';
import type { SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { BoolNode } from './BoolNode.js';
import { BoostingNode } from './BoostingNode.js';
import { compileCrossFields } from './compileCrossFields.js';
import { compileExists } from './compileExists.js';
import { compileBoundingBox, compileGeoDistance, compilePolygon, compileShape } from './compileGeo.js';
import { compileMatch } from './compileMatch.js';
import { compileFuzzy, compilePrefix, compileRegexpQuery, compileWildcard } from './compilePatterns.js';
import { compileBoolPrefix, compilePhrase, compilePhrasePrefix } from './compilePhrase.js';
import { compileNested } from './compileNested.js';
import { compileRange } from './compileRange.js';
import { compileTerm, compileTerms } from './compileTerm.js';
import { ConstantScoreNode } from './ConstantScoreNode.js';
import { DisMaxNode } from './DisMaxNode.js';
import { NoneNode } from './NoneNode.js';
import type { Compile, Compilers } from './Compilers.js';
import type { QueryNode } from './QueryNode.js';
import { SCORE_COMPILERS } from './scoreFunctions.js';
import { SlotsNode } from './SlotsNode.js';

/** A function for every kind of query. */
const COMPILERS: Compilers<BoundQuery['kind']> = {
  match_all: ({ boost }, { index }) => new AllNode(index, boost),
  match_none: () => new NoneNode(),
  term: compileTerm,
  terms: compileTerms,
  range: compileRange,
  exists: compileExists,
  ids: ({ values, boost }, scope) => new SlotsNode(scope.findIds(values), boost),
  prefix: compilePrefix,
  wildcard: compileWildcard,
  regexp: compileRegexpQuery,
  fuzzy: compileFuzzy,
  match: compileMatch,
  match_phrase: compilePhrase,
  match_phrase_prefix: compilePhrasePrefix,
  match_bool_prefix: compileBoolPrefix,
  cross_fields: compileCrossFields,
  bool(query, scope, compile) {
    const { index, deadline } = scope;
    const { boost, minimumShouldMatch } = query;
    const all = (queries: readonly BoundQuery[]) => queries.map((inner) => compile(inner, scope));
    const lists = {
      must: all(query.must),
      filter: all(query.filter),
      should: all(query.should),
      mustNot: all(query.mustNot),
    };
    if (minimumShouldMatch > query.should.length) return new NoneNode();
    const isEmpty = Object.values(lists).every((list) => list.length === 0);
    return isEmpty ? new AllNode(index, boost) : new BoolNode(index, { ...lists, minimumShouldMatch, boost }, deadline);
  },
  constant_score: ({ filter, boost }, scope, compile) => new ConstantScoreNode(compile(filter, scope), boost),
  dis_max: ({ queries, tieBreaker, boost }, scope, compile) =>
    new DisMaxNode(
      scope,
      queries.map((inner) => compile(inner, scope)),
      tieBreaker,
      boost,
    ),
  boosting: ({ positive, negative, negativeBoost, boost }, scope, compile) =>
    new BoostingNode(compile(positive, scope), compile(negative, scope), negativeBoost, boost),
  ...SCORE_COMPILERS,
  nested: compileNested,
  geo_distance: compileGeoDistance,
  geo_bounding_box: compileBoundingBox,
  geo_polygon: compilePolygon,
  geo_shape: compileShape,
};

/** Compiles a query for the index of a scope. */
export function compileQuery(query: BoundQuery, scope: SearchScope): QueryNode {
  scope.deadline.check();
  const compileKind = COMPILERS[query.kind] as CompileKind;
  return compileKind(query, scope, compileQuery);
}

/** A function of the table, for the kind that it belongs to. */
type CompileKind = (query: BoundQuery, scope: SearchScope, compile: Compile) => QueryNode;
