import type { BoundQuery } from '@millrace/query';
import { indexOf, type SearchScope } from '../SearchScope.js';
import { disMax } from './anyOf.js';
import { BoolNode } from './BoolNode.js';
import { compileCrossFields } from './compileCrossFields.js';
import { compileBoundingBox, compileGeoDistance, compilePolygon, compileShape } from './compileGeo.js';
import { compileMatch } from './compileMatch.js';
import { compileFuzzy, compilePrefix, compileRegexpQuery, compileWildcard } from './compilePatterns.js';
import { compileBoolPrefix, compilePhrase, compilePhrasePrefix } from './compilePhrase.js';
import { compileNested } from './compileNested.js';
import { compileRange } from './compileRange.js';
import { compileTerm, compileTerms } from './compileTerm.js';
import type { Compile, Compilers } from './Compilers.js';
import { scoreAt } from './Matches.js';
import type { QueryNode } from './QueryNode.js';
import { SCORE_COMPILERS } from './scoreFunctions.js';
import { everyDocument, existsNode, NO_DOCUMENT, slotsNode, withConstantScore } from './setNode.js';
import { advance } from './setOperations.js';

/** A function for every kind of query. */
const COMPILERS: Compilers<BoundQuery['kind']> = {
  match_all: ({ boost }, scope) => everyDocument(scope, boost),
  match_none: () => NO_DOCUMENT,
  term: compileTerm,
  terms: compileTerms,
  range: compileRange,
  exists({ fields, boost }, scope) {
    const indexes = new Set(fields.map((field) => indexOf(scope, field)).filter((index) => index !== undefined));
    return indexes.size === 0 ? NO_DOCUMENT : existsNode(scope, [...indexes], boost);
  },
  ids: ({ values, boost }, scope) => slotsNode(scope.findIds(values), boost),
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
    if (minimumShouldMatch > query.should.length) return NO_DOCUMENT;
    const isEmpty = Object.values(lists).every((list) => list.length === 0);
    return isEmpty
      ? everyDocument(scope, boost)
      : new BoolNode(index, { ...lists, minimumShouldMatch, boost }, deadline);
  },
  constant_score: ({ filter, boost }, scope, compile) => withConstantScore(compile(filter, scope), boost),
  dis_max: ({ queries, tieBreaker, boost }, scope, compile) =>
    disMax(
      queries.map((inner) => compile(inner, scope)),
      tieBreaker,
      boost,
      scope,
    ),
  boosting: ({ positive, negative, negativeBoost, boost }, scope, compile) =>
    boosting(compile(positive, scope), compile(negative, scope), negativeBoost, boost),
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

/** The documents of `positive`; scores of those that `negative` matches too are multiplied. */
function boosting(positive: QueryNode, negative: QueryNode, negativeBoost: number, boost: number): QueryNode {
  return {
    estimate: () => positive.estimate(),
    match: (isScored) => {
      const matches = positive.match(isScored);
      if (!isScored) return matches;
      const { slots } = matches;
      const lowered = negative.match(false).slots;
      const scores = new Float64Array(slots.length);
      let j = 0;
      for (let i = 0; i < slots.length; i += 1) {
        const slot = slots[i] as number;
        j = advance(lowered, j, slot);
        const factor = j < lowered.length && lowered[j] === slot ? negativeBoost : 1;
        scores[i] = scoreAt(matches, i) * factor * boost;
      }
      return { slots, scores, score: 0 };
    },
  };
}
