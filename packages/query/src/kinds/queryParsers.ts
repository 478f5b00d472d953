import { LEGACY_PARSERS } from './legacyQueries.js';
import { QUERY_KINDS } from './QUERY_KINDS.js';
import type { ParsedKind, ParseNamedQuery } from './QueryKind.js';

/** The supported queries (SEARCH-20), and the legacy forms (SEARCH-30). */
export const QUERY_PARSERS: ReadonlyMap<string, ParseNamedQuery> = new Map([
  ...Object.entries<ParsedKind<never>>(QUERY_KINDS).flatMap(([name, { parse, aliases }]) =>
    parse === undefined ? [] : Object.entries({ [name]: parse, ...aliases }),
  ),
  ...Object.entries(LEGACY_PARSERS),
]);

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
