/*
 * Values of the user in a right are compared with whole values of fields. A text field consists of words, and a user may
 * choose an `_id` such as `example.com`, which is a word of every address there.
 */
import { QueryError, type Query } from '@millrace/query';

/**
 * The query with whole values where it compares values of the user.
 * @param values of the user, as strings
 * @throws QueryError for a value of the user in a query that would split it into words
 */
export function compareWhole(query: Query, values: ReadonlySet<string>): Query {
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
      if (!values.has(String(query.query))) return query;
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
    default:
      return query;
  }
}

function whole<Q extends Query>(
  query: Q,
  compared: readonly unknown[],
  values: ReadonlySet<string>,
): Q {
  return compared.some((value) => values.has(String(value))) ? { ...query, isWhole: true } : query;
}
