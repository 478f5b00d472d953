import type { JsonObject, JsonValue } from '@millrace/language';

/*
 * The values of a document at a dotted path, as indexing reads them: through arrays, and also if a key contains the
 * dots (`{"a.b": 1}` is `{"a": {"b": 1}}`). In document order.
 */

/** The scalars at a path, as strings. Replaces null by `nullValue` if given. */
export function textsAt(source: JsonObject, path: string, nullValue?: string | number | boolean): string[] {
  const texts: string[] = [];
  visit(source, path, (value) => {
    const kept = value === null ? nullValue : value;
    if (kept !== undefined && typeof kept !== 'object') texts.push(String(kept));
  });
  return texts;
}

/** The objects at a path, in the order of the slots of a nested field. */
export function objectsAt(source: JsonObject, path: string): JsonObject[] {
  const objects: JsonObject[] = [];
  visit(source, path, (value) => {
    if (typeof value === 'object' && value !== null) objects.push(value as JsonObject);
  });
  return objects;
}

function visit(source: JsonObject, path: string, take: (value: JsonValue) => void): void {
  for (const [key, value] of Object.entries(source)) {
    if (key === path) each(value, take);
    if (path.startsWith(`${key}.`)) {
      each(value, (inner) => {
        if (typeof inner === 'object' && inner !== null) visit(inner as JsonObject, path.slice(key.length + 1), take);
      });
    }
  }
}

function each(value: JsonValue, take: (value: JsonValue) => void): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) each(item, take);
  else take(value);
}
