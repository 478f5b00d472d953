import { allClauses, kindOf } from '../kinds/QUERY_KINDS.js';
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
      .filter((leaf) => kindOf(leaf).isScan?.(leaf) === true)
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
  if (kindOf(query).clauses === null) return [{ path: query.path, query: outside(query, nestedPath) }];
  const inside = query.kind === 'nested' ? query.nestedPath : nestedPath;
  return allClauses(query).flatMap((each) => partsOf(each, inside));
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
  const inner = allClauses(query);
  return inner.length === 0 ? [query] : inner.flatMap(leavesOf);
}
