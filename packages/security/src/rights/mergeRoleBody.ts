import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** Number of nested objects from a role's root to a right, the right included, by the root's key. */
const DEPTH_OF_RIGHTS: ReadonlyMap<string, number> = new Map([
  ['indexes', 8],
  ['controllers', 4],
]);

/** Number of objects from a controller to a right, the controller not included. */
const DEPTH_OF_CONTROLLER = 2;

/**
 * Computes the role body after `updateRole`: a deep merge that replaces each right as a whole, since a merge of two
 * filters means neither of them. The caller must validate the result with `parseRole`; neither argument is modified.
 */
export function mergeRoleBody(stored: JsonObject, change: JsonObject): JsonObject {
  return mergeObjects(stored, change, (key) => (DEPTH_OF_RIGHTS.get(key) ?? 1) - 1);
}

function merge(stored: JsonValue | undefined, change: JsonValue, depth: number): JsonValue {
  if (depth === 0 || !isJsonObject(stored) || !isJsonObject(change)) return change;
  // The right on documents of a controller.
  const depthBelow = (key: string) => (depth === DEPTH_OF_CONTROLLER && key !== 'actions' ? 0 : depth - 1);
  return mergeObjects(stored, change, depthBelow);
}

/** Uses a map and `fromEntries`, so that a key such as `__proto__` is data. */
function mergeObjects(stored: JsonObject, change: JsonObject, depthBelow: (key: string) => number): JsonObject {
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(change)) {
    merged.set(key, merge(merged.get(key), value, depthBelow(key)));
  }
  return Object.fromEntries(merged);
}
