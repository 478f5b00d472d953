import type { ExpandedQuery, GeoBoundingBoxQuery, GeoDistanceQuery, Query } from '@millrace/query';
import { arcDistance, circleBounds, planeDistance } from '../distance.js';
import type { PointField } from '../fields/PointField.js';
import { Refusal, unsupported } from '../Refusal.js';
import { queriedField, type SearchScope } from '../SearchScope.js';
import { AllNode } from './AllNode.js';
import { BoolNode } from './BoolNode.js';
import { BoostingNode } from './BoostingNode.js';
import { compileExists } from './compileExists.js';
import { compileMatch } from './compileMatch.js';
import { compileFuzzy, compilePrefix, compileRegexp, compileWildcard } from './compilePatterns.js';
import { compileRange } from './compileRange.js';
import { compileTerm, compileTerms } from './compileTerm.js';
import { ConstantScoreNode } from './ConstantScoreNode.js';
import { DisMaxNode } from './DisMaxNode.js';
import { NoneNode } from './NoneNode.js';
import { PointNode } from './PointNode.js';
import type { QueryNode } from './QueryNode.js';
import { SlotsNode } from './SlotsNode.js';

/**
 * Makes a query ready for the index of a scope.
 * @param query after `expandFields`
 * @throws Refusal, QueryError
 */
export function compileQuery(query: Query, scope: SearchScope): QueryNode {
  scope.deadline.check();
  return compile(query as ExpandedQuery, scope);
}

function compile(query: ExpandedQuery, scope: SearchScope): QueryNode {
  const { index } = scope;
  const all = (queries: readonly Query[]) => queries.map((inner) => compileQuery(inner, scope));
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
      return compileRegexp(query, scope);
    case 'fuzzy':
      return compileFuzzy(query, scope);
    case 'match':
      return compileMatch(query, scope);
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
      if (query.minimumShouldMatch > query.should.length) return new NoneNode();
      return isEmpty ? new AllNode(index, query.boost) : new BoolNode(index, clauses);
    }
    case 'constant_score':
      return new ConstantScoreNode(compileQuery(query.filter, scope), query.boost);
    case 'dis_max':
      return new DisMaxNode(index.slotCount, all(query.queries), query.tieBreaker, query.boost);
    case 'boosting':
      return new BoostingNode(
        compileQuery(query.positive, scope),
        compileQuery(query.negative, scope),
        query.negativeBoost,
        query.boost,
      );
    case 'geo_distance':
      return compileGeoDistance(query, scope);
    case 'geo_bounding_box':
      return compileBoundingBox(query, scope);
    case 'match_phrase':
    case 'match_phrase_prefix':
    case 'match_bool_prefix':
    case 'cross_fields':
    case 'function_score':
    case 'nested':
    case 'geo_polygon':
    case 'geo_shape':
      throw unsupported(`The query "${query.kind}"`, query.path);
    default:
      return refuseUnexpanded(query);
  }
}

function refuseUnexpanded(query: never): never {
  const { kind, path } = query as Query;
  throw unsupported(`The query "${kind}"`, path);
}

/** The points of the field; undefined where no document has any. */
function pointField(
  query: GeoDistanceQuery | GeoBoundingBoxQuery,
  scope: SearchScope,
): PointField | undefined {
  const field = queriedField(scope, query);
  if (field === undefined) return undefined;
  if (field.type !== 'geo_point') {
    throw new Refusal(
      `A ${query.kind} query needs a geo_point field, and "${field.name}" is of type ${field.type} (at ${query.path})`,
    );
  }
  const index = scope.index.indexOf(field);
  return index?.kind === 'point' ? index : undefined;
}

function compileGeoDistance(query: GeoDistanceQuery, scope: SearchScope): QueryNode {
  const field = pointField(query, scope);
  if (field === undefined) return new NoneNode();
  const { lat, lon } = query.point;
  const metres = query.distanceMetres;
  const { south, north, halfWidth } = circleBounds(lat, metres);
  const isArc = query.distanceType === 'arc';
  const accepts = (pointLat: number, pointLon: number) => {
    if (pointLat < south || pointLat > north) return false;
    if (!isArc) return planeDistance(lat, lon, pointLat, pointLon) <= metres;
    const apart = Math.abs(pointLon - lon);
    if (apart > halfWidth && 360 - apart > halfWidth) return false;
    return arcDistance(lat, lon, pointLat, pointLon) <= metres;
  };
  return new PointNode(field.column, accepts, query.boost);
}

function compileBoundingBox(query: GeoBoundingBoxQuery, scope: SearchScope): QueryNode {
  const field = pointField(query, scope);
  if (field === undefined) return new NoneNode();
  const { top, bottom, left, right } = query;
  const accepts = (lat: number, lon: number) =>
    lat <= top &&
    lat >= bottom &&
    (left <= right ? lon >= left && lon <= right : lon >= left || lon <= right);
  return new PointNode(field.column, accepts, query.boost);
}
