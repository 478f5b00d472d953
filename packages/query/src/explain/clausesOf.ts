import { positiveClauses } from '../tree/positiveClauses.js';
import type { BoundQuery, Query } from '../tree/Query.js';

/** A part of a query that finds documents by itself. */
export interface Clause {
  /** Position in the request. */
  readonly path: string;
  /** Finds the documents of the clause. */
  readonly query: Query;
  /** Whether an index leads to the documents, without a look at every document or every term of a field. */
  readonly usesIndex: boolean;
}

/**
 * The clauses of a query, in the order of the request.
 * @param bound the same query, bound
 */
export function clausesOf(query: Query, bound: BoundQuery): readonly Clause[] {
  const scans = new Set(
    leavesOf(bound)
      .filter(isScan)
      .map(({ path }) => path),
  );
  return partsOf(query, undefined).map(({ path, query: part }) => ({
    path,
    query: part,
    usesIndex: ![...scans].some((scan) => scan.startsWith(path)),
  }));
}

/** @param nestedPath whose objects the query is about */
function partsOf(query: Query, nestedPath: string | undefined): Omit<Clause, 'usesIndex'>[] {
  const all = (queries: readonly Query[]) => queries.flatMap((each) => partsOf(each, nestedPath));
  switch (query.kind) {
    case 'bool':
      return all([...query.must, ...query.filter, ...query.should, ...query.mustNot]);
    case 'constant_score':
      return all([query.filter]);
    case 'dis_max':
      return all(query.queries);
    case 'boosting':
      return all([query.positive, query.negative]);
    case 'function_score': {
      const filters = query.functions.flatMap(({ filter }) => (filter === undefined ? [] : [filter]));
      return all([query.query, ...filters]);
    } // prettier-ignore
    case 'nested':
      return partsOf(query.query, query.nestedPath);
    default:
      return [{ path: query.path, query: outside(query, nestedPath) }];
  }
}

/** The query about the documents. */
function outside(query: Query, nestedPath: string | undefined): Query {
  if (nestedPath === undefined) return query;
  const { path } = query;
  return {
    kind: 'nested',
    nestedPath,
    query,
    scoreMode: 'none',
    ignoreUnmapped: true,
    boost: 1,
    path,
  };
}

function leavesOf(query: BoundQuery): readonly BoundQuery[] {
  const inner = [...positiveClauses(query)];
  if (query.kind === 'bool') inner.push(...query.mustNot);
  if (query.kind === 'boosting') inner.push(query.negative);
  if (query.kind === 'function_score') {
    for (const { filter } of query.functions) if (filter !== undefined) inner.push(filter);
  }
  return inner.length === 0 ? [query] : inner.flatMap(leavesOf);
}

function isScan(query: BoundQuery): boolean {
  switch (query.kind) {
    case 'match_all':
    case 'regexp':
    case 'fuzzy':
      return true;
    case 'term':
      return query.caseInsensitive;
    case 'prefix':
      return query.caseInsensitive;
    case 'wildcard':
      return query.caseInsensitive || /^[*?]/.test(query.value);
    case 'match':
    case 'match_bool_prefix':
      return query.fuzziness !== undefined;
    case 'geo_shape':
      return query.mapped.type === 'geo_shape';
    default:
      return false;
  }
}
