import type { JsonValue } from '@millrace/language';
import type { Query } from '../tree/Query.js';
import type { QueryParser } from './QueryParser.js';
import * as compound from './queries/compoundQueries.js';
import { parseFunctionScore } from './queries/functionScoreQuery.js';
import * as geo from './queries/geoQueries.js';
import * as legacy from './queries/legacyQueries.js';
import * as lucene from './queries/luceneQueries.js';
import { parseNested } from './queries/nestedQuery.js';
import * as term from './queries/termQueries.js';
import * as text from './queries/textQueries.js';

/** Parses the body of a query. */
export type ParseNamedQuery = (
  value: JsonValue | undefined,
  path: string,
  parser: QueryParser,
) => Query;

/** The supported queries (SEARCH-20), and the legacy forms (SEARCH-30). */
export const QUERY_PARSERS: ReadonlyMap<string, ParseNamedQuery> = new Map<string, ParseNamedQuery>(
  [
    ['match_all', term.parseMatchAll],
    ['match_none', term.parseMatchNone],
    ['term', term.parseTerm],
    ['terms', term.parseTerms],
    ['range', term.parseRange],
    ['exists', term.parseExists],
    ['ids', term.parseIds],
    ['prefix', term.parsePrefix],
    ['wildcard', term.parseWildcard],
    ['regexp', term.parseRegexp],
    ['fuzzy', term.parseFuzzy],
    ['match', text.parseMatch],
    ['match_phrase', text.parseMatchPhrase],
    ['match_phrase_prefix', text.parseMatchPhrasePrefix],
    ['match_bool_prefix', text.parseMatchBoolPrefix],
    ['multi_match', text.parseMultiMatch],
    ['query_string', lucene.parseQueryString],
    ['simple_query_string', lucene.parseSimpleQueryString],
    ['bool', compound.parseBool],
    ['constant_score', compound.parseConstantScore],
    ['dis_max', compound.parseDisMax],
    ['boosting', compound.parseBoosting],
    ['function_score', parseFunctionScore],
    ['nested', parseNested],
    ['geo_distance', geo.parseGeoDistance],
    ['geo_bounding_box', geo.parseGeoBoundingBox],
    ['geo_polygon', geo.parseGeoPolygon],
    ['geo_shape', geo.parseGeoShape],
    ['and', legacy.parseAnd],
    ['or', legacy.parseOr],
    ['not', legacy.parseNot],
    ['missing', legacy.parseMissing],
    ['filtered', legacy.parseFiltered],
    ['query', legacy.parseQueryAsFilter],
    ['fquery', legacy.parseFquery],
    ['in', term.parseTerms],
    ['limit', legacy.parseLimit],
    ['geo_distance_range', legacy.parseGeoDistanceRange],
  ],
);

/** Refused as not allowed rather than unknown (SEARCH-70, SEARCH-71). */
export const FORBIDDEN_QUERIES: ReadonlySet<string> = new Set([
  'script',
  'script_score',
  'terms_set',
  'more_like_this',
  'more_like_this_field',
  'mlt',
  'fuzzy_like_this',
  'fuzzy_like_this_field',
  'flt',
  'percolate',
  'percolator',
  'indices',
  'has_child',
  'has_parent',
  'parent_id',
  'top_children',
  'type',
  'wrapper',
  'template',
  'pinned',
  'knn',
]);
