import type { CompiledField, CompiledMapping } from './CompiledMapping.js';

/**
 * Whether the values of a field belong to the documents (`path` undefined) or to the objects of a nested field. They
 * belong to the nearest enclosing object, and with `include_in_parent` and `include_in_root` also to outer ones.
 */
export function isShownAt(mapping: CompiledMapping, field: CompiledField, path: string | undefined): boolean {
  let around = field.nestedPath;
  if (around === path) return true;
  let isIncluded = true;
  while (around !== undefined) {
    const object = mapping.objects.get(around);
    if (object === undefined) return false;
    if (path === undefined && isIncluded && object.includeInRoot) return true;
    isIncluded = isIncluded && object.includeInParent;
    around = object.nestedPath;
    if (isIncluded && around === path) return true;
  }
  return false;
}
