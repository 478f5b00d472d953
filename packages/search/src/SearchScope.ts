import type { CompiledField } from '@millrace/query';
import type { Deadline } from './Deadline.js';
import type { FieldIndex } from './fields/FieldIndex.js';
import type { CollectionIndex } from './index/CollectionIndex.js';
import { Refusal } from './Refusal.js';
import type { ResultBytes } from './results/ResultBytes.js';

/** The context of one request: a snapshot of an index and the request's current time. */
export interface SearchScope {
  readonly index: CollectionIndex;
  /** `now` of date math: read once per request. */
  readonly nowMs: number;
  readonly deadline: Deadline;
  /** Counts the documents that aggregations return. */
  readonly bytes: ResultBytes;
  /** The slots of the documents with these ids, ascending. */
  readonly findIds: (ids: readonly string[]) => Int32Array;
  /** Reads the ids of all slots into the index. */
  readonly loadIds: () => readonly string[];
}

/** A mapped field that is visible from the scope: fields of nested objects are visible only from there. */
export function visibleField(scope: SearchScope, name: string): CompiledField | undefined {
  const field = scope.index.mapping.fields.get(name);
  return field !== undefined && scope.index.shows(field) ? field : undefined;
}

/** As `visibleField`, for a query. @throws Refusal if the field is not indexed (`index: false`) */
export function queriedField(
  scope: SearchScope,
  { field: name, path }: { readonly field: string; readonly path: string },
): CompiledField | undefined {
  const field = visibleField(scope, name);
  if (field?.isIndexed === false) {
    throw new Refusal(`The field "${name}" is not indexed and can't be searched (at ${path})`);
  }
  return field;
}

/** The index of a visible field; undefined if no document has it. */
export function visibleIndex(scope: SearchScope, name: string): FieldIndex | undefined {
  const field = visibleField(scope, name);
  return field === undefined ? undefined : scope.index.indexOf(field);
}
