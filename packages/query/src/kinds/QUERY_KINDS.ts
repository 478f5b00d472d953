import type { BoundQuery, Query } from '../tree/Query.js';
import { COMPOUND_KINDS } from './compoundKinds.js';
import { GEO_KINDS } from './geoKinds.js';
import { QUERY_STRING_KIND } from './queryStringKind.js';
import { MATCH_KINDS } from './matchKinds.js';
import { MULTI_MATCH_KINDS } from './multiMatchKinds.js';
import { NESTED_KIND } from './nestedKind.js';
import { PATTERN_KINDS } from './patternKinds.js';
import { PHRASE_KINDS } from './phraseKinds.js';
import type { BoundKind, Clauses, ParsedKind, QueryKinds } from './QueryKind.js';
import { SCORE_KINDS } from './scoreKinds.js';
import { TERM_KINDS } from './termKinds.js';
import { VISIBLE_KIND } from './visibleKind.js';

/** Every kind of query. */
export const QUERY_KINDS: QueryKinds<Query['kind']> = {
  ...TERM_KINDS,
  ...PATTERN_KINDS,
  ...MATCH_KINDS,
  ...PHRASE_KINDS,
  ...MULTI_MATCH_KINDS,
  query_string: QUERY_STRING_KIND,
  ...COMPOUND_KINDS,
  ...SCORE_KINDS,
  nested: NESTED_KIND,
  ...GEO_KINDS,
  visible: VISIBLE_KIND,
};

/** The definition of the kind of a query. */
export function kindOf(query: BoundQuery): ParsedKind<Query, BoundQuery> & BoundKind<BoundQuery>;
export function kindOf(query: Query): ParsedKind<Query>;
export function kindOf({ kind }: Query): ParsedKind<Query> {
  return QUERY_KINDS[kind] as unknown as ParsedKind<Query>;
}

const NONE: Clauses<never> = { positive: [] };

/** The queries inside a query. */
export function clausesIn(query: BoundQuery): Clauses<BoundQuery>;
export function clausesIn(query: Query): Clauses<Query>;
export function clausesIn(query: Query): Clauses<Query> {
  return kindOf(query).clauses?.(query) ?? NONE;
}

/** All queries inside a query. */
export function allClauses(query: BoundQuery): readonly BoundQuery[];
export function allClauses(query: Query): readonly Query[];
export function allClauses(query: Query): readonly Query[] {
  const { positive, excluding = [], rescoring = [] } = clausesIn(query);
  return [...positive, ...excluding, ...rescoring];
}

type ReasonOf = (query: BoundQuery, kind: BoundKind<BoundQuery>) => string | null;

/** The first reason that is given for a query or one of the queries on which its matches depend. */
export function firstReason(query: BoundQuery, reasonOf: ReasonOf): string | null {
  const kind = kindOf(query);
  const own = reasonOf(query, kind);
  if (own !== null || kind.clauses === null) return own;
  const { positive, excluding } = kind.clauses(query);
  return reasonAmong(positive, reasonOf) ?? (excluding === undefined ? null : reasonAmong(excluding, reasonOf));
}

function reasonAmong(clauses: readonly BoundQuery[], reasonOf: ReasonOf): string | null {
  for (const clause of clauses) {
    const reason = firstReason(clause, reasonOf);
    if (reason !== null) return reason;
  }
  return null;
}
