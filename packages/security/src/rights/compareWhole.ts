/*
 * Values of the user in a right are compared with whole values of fields. A text field consists of words, and a user may
 * choose an `_id` such as `example.com`, which is a word of every address there. For the same reason an `_id` is
 * compared with values as they are stored: `0.0.0.0/0` would be every value of an ip field, `1e3` the number 1000.
 */
import { QueryError, type Query } from '@millrace/query';

/** Queries that compare by identity, see `isIdentity`. */
const COMPARING: ReadonlySet<string> = new Set(['term', 'terms', 'ids']);

/** The values of a user in a query. */
export interface UserValues {
  /** As strings. */
  readonly all: ReadonlySet<string>;
  /** Those that the user may have chosen. */
  readonly chosen: ReadonlySet<unknown>;
}

/**
 * The query with whole values where it compares values of the user.
 * @throws QueryError for a value of the user in a query that would split it into words
 */
export function compareWhole(query: Query, values: UserValues): Query {
  const inner = (queries: readonly Query[]) => queries.map((each) => compareWhole(each, values));
  switch (query.kind) {
    case 'term':
    case 'prefix':
      return whole(query, [query.value], values);
    case 'terms':
      return whole(query, query.values, values);
    case 'range':
      return whole(query, [query.lower?.value, query.upper?.value], values);
    case 'match':
    case 'match_phrase':
    case 'match_bool_prefix':
    case 'multi_match':
    case 'cross_fields':
      if (!values.all.has(String(query.query))) return query;
      throw new QueryError(
        'invalid',
        query.path,
        `a value of the user can't be split into words (${query.kind}): use term or terms`,
      );
    case 'nested':
      return { ...query, query: compareWhole(query.query, values) };
    case 'constant_score':
      return { ...query, filter: compareWhole(query.filter, values) };
    case 'dis_max':
      return { ...query, queries: inner(query.queries) };
    case 'bool': {
      const { must, filter, should, mustNot } = query;
      return {
        ...query,
        must: inner(must),
        filter: inner(filter),
        should: inner(should),
        mustNot: inner(mustNot),
      };
    }
    // A pattern is compared with whole values, and the others compare none of the user, or are refused in rights.
    case 'wildcard':
    case 'regexp':
    case 'ids':
    case 'exists':
    case 'match_all':
    case 'match_none':
    case 'geo_distance':
    case 'geo_bounding_box':
    case 'geo_polygon':
    case 'geo_shape':
    case 'visible':
    case 'fuzzy':
    case 'match_phrase_prefix':
    case 'query_string':
    case 'boosting':
    case 'function_score':
    case 'distance_feature':
      return query;
  }
}

function whole<Q extends Query>(query: Q, compared: readonly unknown[], { all, chosen }: UserValues): Q {
  if (!compared.some((value) => all.has(String(value)))) return query;
  const isIdentity = compared.some((value) => chosen.has(value));
  return { ...query, isWhole: true, ...(isIdentity && { isIdentity }) };
}

/**
 * Where a parsed query has a value other than to compare it by identity; undefined: nowhere.
 * @param outer the path of what contains the query
 */
export function whereMisplaced(query: unknown, value: string, outer: string): string | undefined {
  if (query === value) return outer;
  if (typeof query !== 'object' || query === null) return undefined;
  const { kind, path = outer, caseInsensitive } = query as { kind?: string; path?: string; caseInsensitive?: boolean };
  const isCompared = kind !== undefined && COMPARING.has(kind) && caseInsensitive !== true;
  if (isCompared) return undefined;
  for (const inner of Object.values(query)) {
    const found = whereMisplaced(inner, value, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
