import { findNested, NestedIndex, rootIndex } from './index/NestedIndex.js';
import type { SearchScope } from './SearchScope.js';

/** A scope whose slots are nested objects. */
export interface NestedScope extends SearchScope {
  readonly index: NestedIndex;
}

/**
 * The same request, applied to the objects of a nested field.
 * @returns undefined if no document has such an object, or the field is not below the scope's level
 */
export function nestedScope(scope: SearchScope, path: string): NestedScope | undefined {
  const index = findNested(scope.index, path);
  if (index === undefined) return undefined;
  const rootOf = (slot: number) => index.rowOf(slot);
  return {
    ...scope,
    index,
    // An object has the id of its document.
    findIds: (ids) => {
      const rows = new Set(Array.from(scope.findIds(ids), (slot) => scope.index.rowOf(slot)));
      return index.living().filter((slot) => rows.has(rootOf(slot)));
    },
    loadIds: () => {
      const root = rootIndex(index);
      const ids = rootScopeIds(scope);
      return Array.from({ length: index.slotCount }, (_, slot) => {
        return ids[root.slotOf(rootOf(slot))] ?? '';
      });
    },
  };
}

/** The ids of the documents, at any level of the scope. */
function rootScopeIds(scope: SearchScope): readonly string[] {
  const ids = scope.loadIds();
  return scope.index instanceof NestedIndex ? (rootIndex(scope.index).ids ?? []) : ids;
}
