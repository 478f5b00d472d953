import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { complementOf, selectFields, type FieldSet } from '@millrace/query';
import { isEqualJson } from '../isEqualJson.js';

/**
 * The content after a replacement by a writer who can't see or change some fields: these are kept unless they are sent.
 * A list whose visible part is sent unchanged is kept whole.
 * @param kept the fields that are not the writer's to remove
 */
export function replaceVisible(stored: JsonObject, sent: JsonObject, kept: FieldSet, path = ''): JsonObject {
  const prefix = path === '' ? '' : `${path}.`;
  const result = new Map<string, JsonValue>(Object.entries(sent));
  const hidden = selectFields(stored, kept, path);
  for (const [key, value] of Object.entries(stored)) {
    const at = prefix + key;
    const given = result.get(key);
    if (given === undefined) {
      if (Object.hasOwn(hidden, key)) result.set(key, hidden[key] as JsonValue);
    } else if (isJsonObject(value) && isJsonObject(given)) {
      result.set(key, replaceVisible(value, given, kept, at));
    } else if (Array.isArray(value) && isVisiblyEqual(value, given, kept, at)) {
      result.set(key, value);
    }
  }
  return Object.fromEntries(result);
}

/** The first field of the set that differs between two contents; undefined if none does. */
export function changedField(before: JsonObject, after: JsonObject, set: FieldSet): string | undefined {
  return difference(selectFields(before, set), selectFields(after, set), '');
}

function isVisiblyEqual(stored: JsonValue, given: JsonValue, kept: FieldSet, path: string): boolean {
  if (!kept.splits(path)) return false;
  const visible = complementOf(kept);
  const [left, right] = [stored, given].map((list) => selectFields({ list }, below(visible, path)));
  return isEqualJson(left as JsonObject, right as JsonObject);
}

/** The set for a value at a path, as if the value were at `list`. */
function below(set: FieldSet, path: string): FieldSet {
  const move = (at: string) => path + at.slice('list'.length);
  return { has: (at) => set.has(move(at)), splits: (at) => set.splits(move(at)) };
}

function difference(before: JsonObject, after: JsonObject, prefix: string): string | undefined {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const current = Object.hasOwn(after, key) ? after[key] : undefined;
    if (isJsonObject(old) && isJsonObject(current)) {
      const inner = difference(old, current, `${prefix}${key}.`);
      if (inner !== undefined) return inner;
    } else if (old === undefined || current === undefined || !isEqualJson(old, current)) {
      return prefix + key;
    }
  }
  return undefined;
}
