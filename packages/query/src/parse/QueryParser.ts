import { isJsonObject, type JsonValue } from '@millrace/language';
import { forbidden, invalid, type QueryError } from '../errors.js';
import { quote, show } from '../show.js';
import { LEGACY_PARSERS } from '../kinds/legacyQueries.js';
import { kindOf, QUERY_KINDS } from '../kinds/QUERY_KINDS.js';
import { MAX_CLAUSE_COUNT, MAX_QUERY_DEPTH, type ParsedKind, type ParseNamedQuery } from '../kinds/QueryKind.js';
import type { Query } from '../tree/Query.js';

/** The supported queries (SEARCH-20), and the legacy forms (SEARCH-30). */
export const QUERY_PARSERS: ReadonlyMap<string, ParseNamedQuery> = new Map([
  ...Object.entries<ParsedKind<never>>(QUERY_KINDS).flatMap(([name, { parse, aliases }]) =>
    parse === undefined ? [] : Object.entries({ [name]: parse, ...aliases }),
  ),
  ...Object.entries(LEGACY_PARSERS),
]);

/** Refused as not allowed rather than unknown (SEARCH-70, SEARCH-71). */
const FORBIDDEN_QUERIES: ReadonlySet<string> = new Set([
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

/** Parses the queries of one request; tracks the depth and number of clauses of the current query. */
export class QueryParser {
  private depth = 0;
  private clauseCount = 0;

  /**
   * @param path position of `value`; the query's name is appended to it
   * @throws QueryError
   */
  parse(value: JsonValue | undefined, path: string): Query {
    if (this.depth === 0) this.clauseCount = 0;
    if (this.depth >= MAX_QUERY_DEPTH) {
      throw invalid(path, `Query at ${path} is nested deeper than ${MAX_QUERY_DEPTH} levels`);
    }
    const name = queryName(value, path);
    const parser = QUERY_PARSERS.get(name);
    if (parser === undefined) throw unknownQuery(name, path);
    this.depth += 1;
    try {
      const query = parser((value as Record<string, JsonValue>)[name], `${path}.${name}`, this);
      if (kindOf(query).clauses === null) this.countClause(path);
      return query;
    } finally {
      this.depth -= 1;
    }
  }

  /** A query, a list of queries, or nothing. */
  parseList(value: JsonValue | undefined, path: string): readonly Query[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [this.parse(value, path)];
    const list: readonly JsonValue[] = value;
    return list.map((item, position) => this.parse(item, `${path}[${position}]`));
  }

  /** Counts one more leaf of the current query. */
  countClause(path: string): void {
    this.clauseCount += 1;
    if (this.clauseCount > MAX_CLAUSE_COUNT) {
      throw invalid(path, `The query has more than ${MAX_CLAUSE_COUNT} clauses`);
    }
  }
}

export function isQueryName(name: string): boolean {
  return QUERY_PARSERS.has(name) || FORBIDDEN_QUERIES.has(name);
}

function queryName(value: JsonValue | undefined, path: string): string {
  if (!isJsonObject(value)) {
    throw invalid(path, `Query at ${path} must be an object, not ${show(value)}`);
  }
  const names = Object.keys(value).filter((key) => key !== '_cache' && key !== '_cache_key');
  const [name] = names;
  if (name === undefined) throw invalid(path, `Empty query at ${path}`);
  if (names.length > 1) {
    const forbiddenName = names.find((key) => FORBIDDEN_QUERIES.has(key));
    if (forbiddenName !== undefined) throw unknownQuery(forbiddenName, path);
    throw invalid(
      path,
      `Query at ${path} must have one name, not ${names.length} (${names.slice(0, 3).map(quote).join(', ')})`,
    );
  }
  return name;
}

function unknownQuery(name: string, path: string): QueryError {
  if (FORBIDDEN_QUERIES.has(name)) {
    return forbidden(`${path}.${name}`, `Query ${quote(name)} at ${path} is not allowed`);
  }
  return invalid(`${path}.${name}`, `Unknown query ${quote(name)} at ${path}`, {
    name,
    known: QUERY_PARSERS.keys(),
  });
}
