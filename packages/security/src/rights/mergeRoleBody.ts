import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** Objects on the way from a role's root to a right, itself included, by the root's key. */
const DEPTH_OF_RIGHTS: ReadonlyMap<string, number> = new Map([
  ['indexes', 8],
  ['controllers', 4],
]);

/**
 * The body of a role after `updateRole`: a deep merge, in which a right is replaced as a whole, since two filters merged
 * are neither of them. The result is to be checked by `parseRole`; neither argument is changed.
 */
export function mergeRoleBody(stored: JsonObject, change: JsonObject): JsonObject {
  return mergeObjects(stored, change, (key) => (DEPTH_OF_RIGHTS.get(key) ?? 1) - 1);
}

function merge(stored: JsonValue | undefined, change: JsonValue, depth: number): JsonValue {
  if (depth === 0 || !isJsonObject(stored) || !isJsonObject(change)) return change;
  return mergeObjects(stored, change, () => depth - 1);
}

/** Goes through a map and `fromEntries`, so that a key such as `__proto__` is data. */
function mergeObjects(
  stored: JsonObject,
  change: JsonObject,
  depthBelow: (key: string) => number,
): JsonObject {
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(change)) {
    merged.set(key, merge(merged.get(key), value, depthBelow(key)));
  }
  return Object.fromEntries(merged);
}
