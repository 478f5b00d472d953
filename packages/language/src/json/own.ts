import type { JsonObject, JsonValue } from './Json.js';

/** Own property only: a key such as `constructor` or `__proto__` is plain data. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
