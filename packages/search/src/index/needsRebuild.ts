import type { CompiledMapping } from '@millrace/query';

/**
 * Whether documents that are already indexed may have values for the additions of the newer mapping. Fields that
 * documents add dynamically (`dynamic: true`) are new with the document; multi-fields, targets of `copy_to`, and fields
 * of an object that ignored unmapped fields may be older.
 */
export function needsRebuild(before: CompiledMapping, after: CompiledMapping): boolean {
  for (const [name, field] of after.fields) {
    const known = before.fields.get(name);
    if (known === undefined) {
      if (mayHaveValues(before, name)) return true;
    } else if (field.copyTo.length !== known.copyTo.length || field.ignoreAbove !== known.ignoreAbove) {
      return true;
    }
  }
  return false;
}

function mayHaveValues(before: CompiledMapping, name: string): boolean {
  const parent = name.slice(0, Math.max(0, name.lastIndexOf('.')));
  if (before.fields.has(parent)) return true;
  for (let path = parent; ; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const object = path === '' ? before.root : before.objects.get(path);
    if (object !== undefined) return object.dynamic === false || !object.isEnabled;
  }
}
