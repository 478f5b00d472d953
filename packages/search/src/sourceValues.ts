import { javaDouble, type JsonObject, type JsonValue } from '@millrace/query';

/*
 * What stands in a document at a dotted path, as indexing sees it: through arrays, and also where a key itself holds the
 * dots (`{"a.b": 1}` is `{"a": {"b": 1}}`).
 */

/**
 * The scalars at a path, as text, in the order in which Elasticsearch reads them for highlighting: that of the document,
 * lists within lists after all that is beside them. `nullValue` stands in for null where given.
 */
export function textsAt(
  source: JsonObject,
  path: string,
  nullValue?: string | number | boolean,
): string[] {
  const queue: JsonValue[] = [];
  const take = (value: JsonValue): void => {
    if (!Array.isArray(value)) queue.push(value);
    else for (const item of value as readonly JsonValue[]) queue.push(item);
  };
  visit(source, path, take, false);
  const texts: string[] = [];
  for (const value of queue) {
    if (Array.isArray(value)) take(value);
    else if (value === null && nullValue !== undefined) texts.push(String(nullValue));
    else if (typeof value === 'number') texts.push(numberText(value));
    else if (typeof value !== 'object') texts.push(String(value));
  }
  return texts;
}

/** The scalars at a path, as text, as a field of `store: true` keeps them: in the order of the document, numbers as written. */
export function storedTextsAt(
  source: JsonObject,
  path: string,
  nullValue?: string | number | boolean,
): string[] {
  const texts: string[] = [];
  visit(source, path, (value) => {
    const kept = value === null ? nullValue : value;
    if (kept !== undefined && typeof kept !== 'object') texts.push(String(kept));
  });
  return texts;
}

/** Fractions, and what JSON writes with an exponent, as Java writes them. */
function numberText(value: number): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) < 1e21;
  return isWhole ? String(value) : javaDouble(value);
}

/** The objects at a path, in the order of the document: that of the slots of a nested field. */
export function objectsAt(source: JsonObject, path: string): JsonObject[] {
  const objects: JsonObject[] = [];
  visit(source, path, (value) => {
    if (typeof value === 'object' && value !== null) objects.push(value as JsonObject);
  });
  return objects;
}

/** @param isFlat gives the items of lists, not the lists */
function visit(
  source: JsonObject,
  path: string,
  take: (value: JsonValue) => void,
  isFlat = true,
): void {
  for (const [key, value] of Object.entries(source)) {
    if (key === path) {
      if (isFlat) each(value, take);
      else take(value);
    }
    if (path.startsWith(`${key}.`)) {
      each(value, (inner) => {
        if (typeof inner === 'object' && inner !== null)
          visit(inner as JsonObject, path.slice(key.length + 1), take, isFlat);
      });
    }
  }
}

function each(value: JsonValue, take: (value: JsonValue) => void): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) each(item, take);
  else take(value);
}
