import { QueryParser, type ParseNamedQuery } from '../parse/QueryParser.js';
import { LEGACY_PARSERS } from './legacyQueries.js';
import { kindOf, QUERY_KINDS } from './QUERY_KINDS.js';
import type { ParsedKind } from './QueryKind.js';

/** The supported queries (SEARCH-20), and the legacy forms (SEARCH-30). */
export const QUERY_PARSERS: ReadonlyMap<string, ParseNamedQuery> = new Map([
  ...Object.entries<ParsedKind<never>>(QUERY_KINDS).flatMap(([name, { parse, aliases }]) =>
    parse === undefined ? [] : Object.entries({ [name]: parse, ...aliases }),
  ),
  ...Object.entries(LEGACY_PARSERS),
]);

/** A parser of the queries of one request. */
export function queryParser(): QueryParser {
  return new QueryParser(QUERY_PARSERS, (query) => kindOf(query).clauses === null);
}
