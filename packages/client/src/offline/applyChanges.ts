import { isObject } from './isObject.js';

/** Content after an update, as the server makes it: objects are merged, lists and other values replaced. */
export function applyChanges(source: unknown, changes: unknown): unknown {
  if (!isObject(source) || !isObject(changes)) return changes;
  const result = { ...source };
  for (const [name, change] of Object.entries(changes)) {
    result[name] = applyChanges(source[name], change);
  }
  return result;
}
