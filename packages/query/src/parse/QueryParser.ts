import { isJsonObject, type JsonValue } from '@millrace/language';
import { forbidden, invalid, type QueryError } from '../errors.js';
import { quote, show } from '../show.js';
import type { Query } from '../tree/Query.js';

/** Cost limits (SEARCH-73). */
export const MAX_QUERY_DEPTH = 30;
export const MAX_CLAUSE_COUNT = 1024;

/** Parses the body of a query. */
export type ParseNamedQuery = (value: JsonValue | undefined, path: string, parser: QueryParser) => Query;

type Parsers = ReadonlyMap<string, ParseNamedQuery>;

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
   * @param parsers by name of a query
   * @param isLeaf whether a query has none inside: leaves are counted
   */
  constructor(
    private readonly parsers: Parsers,
    private readonly isLeaf: (query: Query) => boolean,
  ) {}

  /**
   * @param path position of `value`; the query's name is appended to it
   * @throws QueryError
   */
  parse(value: JsonValue | undefined, path: string): Query {
    if (this.depth === 0) this.clauseCount = 0;
    if (this.depth >= MAX_QUERY_DEPTH) {
      throw invalid(path, `Query at ${path} is nested deeper than ${MAX_QUERY_DEPTH} levels`);
    }
    const name = queryName(value, path, this.parsers);
    const parser = this.parsers.get(name);
    if (parser === undefined) throw unknownQuery(name, path, this.parsers);
    this.depth += 1;
    try {
      const query = parser((value as Record<string, JsonValue>)[name], `${path}.${name}`, this);
      if (this.isLeaf(query)) this.countClause(path);
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

  /** True also for a query that is refused as not allowed. */
  isQueryName(name: string): boolean {
    return this.parsers.has(name) || FORBIDDEN_QUERIES.has(name);
  }

  /** Counts one more leaf of the current query. */
  countClause(path: string): void {
    this.clauseCount += 1;
    if (this.clauseCount > MAX_CLAUSE_COUNT) {
      throw invalid(path, `The query has more than ${MAX_CLAUSE_COUNT} clauses`);
    }
  }
}

function queryName(value: JsonValue | undefined, path: string, parsers: Parsers): string {
  if (!isJsonObject(value)) {
    throw invalid(path, `Query at ${path} must be an object, not ${show(value)}`);
  }
  const names = Object.keys(value).filter((key) => key !== '_cache' && key !== '_cache_key');
  const [name] = names;
  if (name === undefined) throw invalid(path, `Empty query at ${path}`);
  if (names.length > 1) {
    const forbiddenName = names.find((key) => FORBIDDEN_QUERIES.has(key));
    if (forbiddenName !== undefined) throw unknownQuery(forbiddenName, path, parsers);
    throw invalid(
      path,
      `Query at ${path} must have one name, not ${names.length} (${names.slice(0, 3).map(quote).join(', ')})`,
    );
  }
  return name;
}

function unknownQuery(name: string, path: string, parsers: Parsers): QueryError {
  if (FORBIDDEN_QUERIES.has(name)) {
    return forbidden(`${path}.${name}`, `Query ${quote(name)} at ${path} is not allowed`);
  }
  return invalid(`${path}.${name}`, `Unknown query ${quote(name)} at ${path}`, {
    name,
    known: parsers.keys(),
  });
}
