import { QueryError } from '../errors.js';
import { NO_CLAUSES } from './compoundKinds.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import { toFieldSet, type FieldSet } from '../view/FieldSet.js';
import type { SearchView, ViewGrant } from '../tree/SearchRequest.js';
import { visibleFields } from '../view/narrowFields.js';
import { bindPart } from './bindQuery.js';

/** The fields that the documents in a search result show. */
export interface ShownFields {
  /** Of every document. */
  readonly common: FieldSet;
  /** If documents show different fields: each shows those of all grants that cover it. Absent: each shows `common`. */
  readonly grants?: readonly ShownGrant[];
}

/** The fields that some documents show. */
export interface ShownGrant {
  /** Null: every document. */
  readonly documents: BoundQuery | null;
  /** Null: all. */
  readonly fields: FieldSet | null;
}

/** The fields that a view shows; undefined: all. A grant whose query doesn't fit the mapping covers nothing. */
export function bindShownFields(
  { fields, grants }: SearchView,
  compiled: CompiledMapping,
  nowMs: number,
): ShownFields | undefined {
  const common = visibleFields(fields, compiled);
  if (common === null) return undefined;
  if (grants === undefined) return { common };
  const toShown = ({ documents, fields: rule }: ViewGrant): readonly ShownGrant[] => {
    const bound = documents === null ? [null] : bindOrNone(documents, compiled, nowMs);
    const set = rule && toFieldSet(rule, compiled);
    return bound.map((query) => ({ documents: query, fields: set }));
  };
  return { common, grants: grants.flatMap(toShown) };
}

/** No query if it doesn't fit the mapping. */
function bindOrNone(query: Query, compiled: CompiledMapping, nowMs: number): readonly BoundQuery[] {
  try {
    // The limits on the work of a request are for its own query.
    return [bindPart(query, { compiled, nowMs, costs: [] }, undefined)];
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}

/**
 * The query that matches the documents of a view; undefined: every document. A query that doesn't fit the mapping
 * matches nothing.
 */
export function bindView({ documents }: SearchView, compiled: CompiledMapping, nowMs: number): BoundQuery | undefined {
  if (documents === undefined) return undefined;
  const bound = documents.flatMap((query) => bindOrNone(query, compiled, nowMs));
  const [first] = bound;
  const base = { boost: 1, path: 'documents' };
  if (first === undefined) return { kind: 'match_none', ...base };
  if (bound.length === 1) return first;
  return { kind: 'bool', ...NO_CLAUSES, should: bound, minimumShouldMatch: 1, ...base };
}
