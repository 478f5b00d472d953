import { compileWildcard } from '../compileWildcard.js';
import type { CompiledField, CompiledMapping } from './CompiledMapping.js';

/** The field of a full name (multi-fields too: `title.keyword`), or undefined. */
export function resolveField(compiled: CompiledMapping, name: string): CompiledField | undefined {
  return compiled.fields.get(name);
}

/** Every field whose full name fits the pattern (`*` any characters), in the order of the mapping. */
export function resolveFieldPattern(
  compiled: CompiledMapping,
  pattern: string,
): readonly CompiledField[] {
  if (!pattern.includes('*')) {
    const field = compiled.fields.get(pattern);
    return field === undefined ? [] : [field];
  }
  const matches = compileWildcard(pattern);
  return [...compiled.fields.values()].filter((field) => matches(field.name));
}

/** The fields an `exists` query asks about: those that fit the name or pattern, and those inside objects that do. */
export function resolveExists(
  compiled: CompiledMapping,
  pattern: string,
): readonly CompiledField[] {
  const matches = compileWildcard(pattern);
  const objects = [...compiled.objects.values()].filter((object) => matches(object.name));
  const prefixes = objects.map((object) => `${object.name}.`);
  return [...compiled.fields.values()].filter(
    (field) => matches(field.name) || prefixes.some((prefix) => field.name.startsWith(prefix)),
  );
}

/** Whether a search can tell that a field has a value: what is neither indexed nor kept besides does not exist, nor a text that is not indexed. */
export function canExist({ isIndexed, hasDocValues, isStored, type }: CompiledField): boolean {
  return isIndexed || (type !== 'text' && (hasDocValues || isStored));
}
