import type { FieldMapping, Mapping } from '@millrace/query';

/**
 * Lays the mapping given at creation over the default one: what is given wins, also another type for a field; objects
 * that both have are laid over each other field by field (DOC-40).
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
      areObjects
        ? { ...below, ...field, properties: overlayFields(below.properties, field.properties) }
        : field,
    );
  }
  return fields;
}
