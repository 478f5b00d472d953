import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import type { SpecificationLevel, SpecifiedField } from './Specification.js';

/**
 * Fills in defaults (VALID-25) without modifying the given content.
 * @param changes the body of an update: only its explicit nulls are filled then; absent: every missing or null field
 * @returns the document itself if nothing had to be filled in
 */
export function applyDefaults(level: SpecificationLevel, document: JsonObject, changes?: JsonObject): JsonObject {
  let filled: Record<string, JsonValue> | undefined;
  for (const [key, field] of level.fields) {
    const value = own(document, key);
    const given = changes && own(changes, key);
    if (changes !== undefined && given === undefined) continue;
    const next = fillValue(field, value, changes === undefined ? undefined : (given ?? null));
    if (next === value || next === undefined) continue;
    filled ??= { ...document };
    // Defined, not assigned: a key such as `__proto__` is plain data.
    Object.defineProperty(filled, key, {
      value: next,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return filled ?? document;
}

function fillValue(
  { defaultValue, level }: SpecifiedField,
  value: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (value === undefined || value === null) return defaultValue ?? value;
  if (level === undefined || level.fields.size === 0) return value;
  if (isJsonObject(value)) {
    return applyDefaults(level, value, isJsonObject(given) ? given : undefined);
  }
  if (typeof value !== 'object') return value;
  const elements: readonly JsonValue[] = value;
  // An update replaces whole arrays, so all their elements, including nulls, come from the request.
  const filled = elements.map((each) =>
    isJsonObject(each) ? applyDefaults(level, each, given === undefined ? undefined : each) : each,
  );
  return filled.some((each, i) => each !== elements[i]) ? filled : value;
}
