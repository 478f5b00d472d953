import type { CompiledField, FieldSet } from '@millrace/query';
import type { Deadline } from './Deadline.js';
import type { FieldIndex } from './fields/FieldIndex.js';
import type { CollectionIndex } from './index/CollectionIndex.js';
import type { ResultBytes } from './results/ResultBytes.js';

/** The context of one request: a snapshot of an index and the request's current time. */
export interface SearchScope {
  readonly index: CollectionIndex;
  /** `now` of date math: read once per request. */
  readonly nowMs: number;
  readonly deadline: Deadline;
  /** Counts the documents that aggregations return. */
  readonly bytes: ResultBytes;
  /** The fields that every document in the result shows; absent: all. */
  readonly fields?: FieldSet;
  /** The slots of the documents with these ids, ascending. */
  readonly findIds: (ids: readonly string[]) => Int32Array;
  /** Reads the ids of all slots into the index. */
  readonly loadIds: () => readonly string[];
}

/**
 * The index of a field that is visible from the scope: fields of nested objects are visible only from there. Undefined
 * if no document has the field.
 */
export function indexOf(scope: SearchScope, field: CompiledField): FieldIndex | undefined {
  return scope.index.shows(field) ? scope.index.indexOf(field) : undefined;
}

/** As `indexOf`, for a field that may not be mapped. */
export function visibleIndex(scope: SearchScope, name: string): FieldIndex | undefined {
  const field = scope.index.mapping.fields.get(name);
  return field && indexOf(scope, field);
}
