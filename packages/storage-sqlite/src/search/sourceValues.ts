import type { JsonObject, JsonValue } from '@millrace/query';

/*
 * What stands in a document at a dotted path, as indexing sees it: through arrays, and also where a key itself holds the
 * dots (`{"a.b": 1}` is `{"a": {"b": 1}}`).
 */

/** The scalars at a path, as text, in the order of the document; `nullValue` in place of null where given. */
export function textsAt(
  source: JsonObject,
  path: string,
  nullValue?: string | number | boolean,
): string[] {
  const texts: string[] = [];
  visit(source, path, (value) => {
    if (value === null && nullValue !== undefined) texts.push(String(nullValue));
    if (typeof value !== 'object') texts.push(String(value));
  });
  return texts;
}

/** The objects at a path, in the order of the document: that of the slots of a nested field. */
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
    else if (path.startsWith(`${key}.`)) {
      each(value, (inner) => {
        if (typeof inner === 'object' && inner !== null)
          visit(inner as JsonObject, path.slice(key.length + 1), take);
      });
    }
  }
}

function each(value: JsonValue, take: (value: JsonValue) => void): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) each(item, take);
  else take(value);
}
