import type { JsonValue } from '@millrace/language';
import type { Query } from '../tree/Query.js';
import type { QueryParser } from './QueryParser.js';
import { COMPOUND_PARSERS } from './queries/compoundQueries.js';
import { FUNCTION_SCORE_PARSERS } from './queries/functionScoreQuery.js';
import { GEO_PARSERS } from './queries/geoQueries.js';
import { LEGACY_PARSERS } from './queries/legacyQueries.js';
import { LUCENE_PARSERS } from './queries/luceneQueries.js';
import { NESTED_PARSERS } from './queries/nestedQuery.js';
import { PATTERN_PARSERS } from './queries/patternQueries.js';
import { TERM_PARSERS } from './queries/termQueries.js';
import { TEXT_PARSERS } from './queries/textQueries.js';

/** Parses the body of a query. */
export type ParseNamedQuery = (value: JsonValue | undefined, path: string, parser: QueryParser) => Query;

/** Functions that parse queries, by name. */
export type Parsers = Readonly<Record<string, ParseNamedQuery>>;

/** The supported queries (SEARCH-20), and the legacy forms (SEARCH-30). */
export const QUERY_PARSERS: ReadonlyMap<string, ParseNamedQuery> = new Map(
  Object.entries({
    ...TERM_PARSERS,
    ...PATTERN_PARSERS,
    ...TEXT_PARSERS,
    ...LUCENE_PARSERS,
    ...COMPOUND_PARSERS,
    ...FUNCTION_SCORE_PARSERS,
    ...NESTED_PARSERS,
    ...GEO_PARSERS,
    ...LEGACY_PARSERS,
  }),
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
