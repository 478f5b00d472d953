import type { FieldMapping, LeafMapping, Mapping } from '../mapping/Mapping.js';
import type { FieldSet } from './FieldSet.js';

/** The part of a mapping that describes the fields of a set. */
export function visibleMapping(mapping: Mapping, set: FieldSet): Mapping {
  return { ...mapping, properties: visibleProperties(mapping.properties, set, '') };
}

function visibleProperties(
  properties: ReadonlyMap<string, FieldMapping>,
  set: FieldSet,
  prefix: string,
): ReadonlyMap<string, FieldMapping> {
  const visible = new Map<string, FieldMapping>();
  for (const [name, field] of properties) {
    const path = prefix + name;
    if (field.kind === 'leaf') {
      if (set.has(path)) visible.set(name, visibleLeaf(field, set, path));
      continue;
    }
    const inner = visibleProperties(field.properties, set, `${path}.`);
    if (inner.size > 0 || (field.properties.size === 0 && set.has(path))) {
      visible.set(name, { ...field, properties: inner });
    }
  }
  return visible;
}

function visibleLeaf(leaf: LeafMapping, set: FieldSet, path: string): LeafMapping {
  const fields = [...leaf.fields].filter(([name]) => set.has(`${path}.${name}`));
  return {
    ...leaf,
    copyTo: leaf.copyTo.filter((target) => set.has(target)),
    fields: new Map(fields),
  };
}
