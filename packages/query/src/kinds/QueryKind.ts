import type { QueryBinder } from './QueryBinder.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import type { ParseNamedQuery } from '../parse/QueryParser.js';
import type { BoundQuery, OnField, Query } from '../tree/Query.js';

/** The queries inside a query, by their effect on its matches; each list in the order of the request. */
export interface Clauses<Q> {
  /** A match of the query matches some or all of these. */
  readonly positive: readonly Q[];
  /** A match of the query matches none of these. */
  readonly excluding?: readonly Q[];
  /** These change scores only. */
  readonly rescoring?: readonly Q[];
}

/** What differs between kinds of queries before they are bound. */
export interface ParsedKind<Q, Clause = Query> {
  /** Parses the query named as the kind; absent: requests can't name it. */
  readonly parse?: ParseNamedQuery;
  /** Its other names. */
  readonly aliases?: Readonly<Record<string, ParseNamedQuery>>;
  /** @throws QueryError if the query doesn't fit the mapping */
  readonly bind: (query: Q, binder: QueryBinder) => BoundQuery;
  /** Null: the kind has none. */
  readonly clauses: ((query: Q) => Clauses<Clause>) | null;
  /** Number of terms that it looks up without its clauses; a pattern or a word with edits counts as 10 (`PATTERN`). */
  readonly lookups: (query: Q) => number;
  /**
   * Refuses work that Elasticsearch can't interrupt. It checks for a closed connection between documents, but not while
   * it compares the positions of a repeated word in one document (a word 1,000 times: hours) or builds the automaton of
   * a long word.
   * @throws QueryError
   */
  readonly assertEndable?: (query: Q, compiled: CompiledMapping) => void;
}

/** What differs between kinds of bound queries. Rights on documents depend on the first three. */
export interface BoundKind<Q> {
  /** See `searchedFields`; of the query without its clauses. */
  readonly fields: (query: Q) => readonly CompiledField[] | null;
  /** See the function of this name; of the query without its clauses. */
  readonly whyUndecidable: (query: Q) => string | null;
  /** See the function of this name; of the query without its clauses. */
  readonly whyChanging: (query: Q) => string | null;
  /** Whether it looks at every document or at every term of a field; absent: an index leads to its documents. */
  readonly isScan?: (query: Q) => boolean;
  /** Whether all matches have one score, whatever other documents there are; absent: no. */
  readonly isUnscored?: (query: Q, isClauseUnscored: (query: BoundQuery) => boolean) => boolean;
}

/**
 * All that differs between kinds of queries, except how engines run them: `COMPILERS` of the search engine and
 * `WRITERS` for Elasticsearch have one function per kind.
 */
export type QueryKind<Kind extends Query['kind']> = ParsedKind<Extract<Query, { kind: Kind }>> &
  (Kind extends BoundQuery['kind'] ? BoundKind<Extract<BoundQuery, { kind: Kind }>> : unknown);

/** The definitions of some kinds. */
export type QueryKinds<Kind extends Query['kind']> = { readonly [K in Kind]: QueryKind<K> };

/** A kind whose matches depend on nothing but the document: neither on other documents nor on the time. */
export const STEADY = { lookups: () => 1, whyUndecidable: () => null, whyChanging: () => null };
/** A kind that decides by the values of one field of the document. */
export const ONE_FIELD = { ...STEADY, clauses: null, fields: ({ mapped }: OnField) => [mapped] };
/** A kind that decides without the values of fields, except by its clauses. */
export const NO_FIELD = { ...STEADY, fields: () => [] };

/** The reason of kinds that are undecidable as `max_expansions` counts the terms of all documents. */
export function limitedTerms(option: string, { path }: { readonly path: string }): string {
  return `${option} at ${path} can't be decided on one document: max_expansions counts the terms of all documents`;
}
