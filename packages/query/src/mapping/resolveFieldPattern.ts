import { compileWildcard } from '../compileWildcard.js';
import { METADATA_FIELDS } from './METADATA_FIELDS.js';
import type { CompiledField, CompiledMapping } from './CompiledMapping.js';

/** Every content field whose full name matches the pattern (`*` any characters), in mapping order. */
export function resolveFieldPattern(compiled: CompiledMapping, pattern: string): readonly CompiledField[] {
  if (METADATA_FIELDS.has(pattern)) return [];
  if (!pattern.includes('*')) {
    const field = compiled.fields.get(pattern);
    return field === undefined ? [] : [field];
  }
  const matches = compileWildcard(pattern);
  return contentFields(compiled).filter((field) => matches(field.name));
}

/**
 * The fields of an `exists` query: one of metadata, or the content fields that match the name or pattern, and those
 * inside matching objects.
 */
export function resolveExists(compiled: CompiledMapping, pattern: string): readonly CompiledField[] {
  const metadata = METADATA_FIELDS.has(pattern) ? compiled.fields.get(pattern) : undefined;
  if (metadata !== undefined) return [metadata];
  const matches = compileWildcard(pattern);
  const objects = [...compiled.objects.values()].filter((object) => matches(object.name));
  const prefixes = objects.map((object) => `${object.name}.`);
  return contentFields(compiled).filter(
    (field) => matches(field.name) || prefixes.some((prefix) => field.name.startsWith(prefix)),
  );
}

function contentFields(compiled: CompiledMapping): readonly CompiledField[] {
  return [...compiled.fields.values()].filter(({ name }) => !METADATA_FIELDS.has(name));
}

/**
 * Whether a search can determine that a field has a value: it must be indexed or, unless its type is text, stored
 * separately (doc values or `store`).
 */
export function canExist({ isIndexed, hasDocValues, isStored, type }: CompiledField): boolean {
  return isIndexed || (type !== 'text' && (hasDocValues || isStored));
}
