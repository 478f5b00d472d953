import type { FieldMapping, Mapping } from '@millrace/query';

/**
 * Overlays the default mapping with the one given at creation: the given one wins, even with another type for a field;
 * objects present in both are merged field by field (DOC-40).
 */
export function overlayMapping(base: Mapping, given: Mapping): Mapping {
  return { ...base, ...given, properties: overlayFields(base.properties, given.properties) };
}

type Fields = ReadonlyMap<string, FieldMapping>;

function overlayFields(base: Fields, given: Fields): Fields {
  const fields = new Map(base);
  for (const [name, field] of given) {
    const below = base.get(name);
    const areObjects = below?.kind === 'object' && field.kind === 'object';
    fields.set(
      name,
      areObjects ? { ...below, ...field, properties: overlayFields(below.properties, field.properties) } : field,
    );
  }
  return fields;
}
