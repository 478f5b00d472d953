import { bindPart } from '../bind/bindPart.js';
import { QueryError } from '../errors.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { BoundQuery, Query } from '../tree/Query.js';
import { toFieldSet, type FieldSet } from './FieldSet.js';
import { visibleFields } from './narrowFields.js';
import type { SearchView, ViewGrant } from './SearchView.js';

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
export function bindOrNone(query: Query, compiled: CompiledMapping, nowMs: number): readonly BoundQuery[] {
  try {
    // The limits on the work of a request are for its own query.
    return [bindPart(query, { compiled, nowMs, costs: [] }, undefined)];
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}
