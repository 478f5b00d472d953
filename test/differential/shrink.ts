/*
 * Makes a difference small enough to read: parts of the request go as long as the difference of the same kind stays,
 * then documents do, on fresh collections. Greedy and with a bound on the attempts.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';

/** Tries smaller values of a JSON text while `stays` holds. @param attempts how often `stays` may be asked */
export async function shrinkJson(
  start: JsonObject,
  stays: (smaller: JsonObject) => Promise<boolean>,
  attempts: number,
): Promise<JsonObject> {
  let current = start;
  let left = attempts;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const candidate of candidates(current)) {
      if (left === 0) break;
      left -= 1;
      if (await stays(candidate as JsonObject)) {
        current = candidate as JsonObject;
        isSmaller = true;
        break;
      }
    }
  }
  return current;
}

/** Every value with one part less, the largest cuts first. */
function* candidates(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    for (const [at] of list.entries()) yield list.filter((_, other) => other !== at);
    for (const [at, item] of list.entries()) {
      for (const smaller of candidates(item)) yield list.map((kept, other) => (other === at ? smaller : kept));
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  }
  // A query in place of the compound query around it.
  for (const inner of innerQueries(value as JsonObject)) yield inner;
  for (const [key, item] of Object.entries(value)) {
    for (const smaller of candidates(item)) {
      yield Object.fromEntries(Object.entries(value).map(([other, kept]) => [other, other === key ? smaller : kept]));
    }
  }
}

const HOLDERS = ['must', 'filter', 'should', 'query', 'queries', 'positive', 'must_not'];

function* innerQueries(value: JsonObject): Generator<JsonValue> {
  const keys = Object.keys(value);
  const body = value[keys[0] ?? ''];
  if (keys.length !== 1 || typeof body !== 'object' || body === null || Array.isArray(body)) return;
  for (const holder of HOLDERS) {
    const held = (body as JsonObject)[holder];
    const list: readonly JsonValue[] = Array.isArray(held) ? held : [held ?? null];
    for (const each of list) if (typeof each === 'object' && each !== null && !Array.isArray(each)) yield each;
  }
}

/** Drops halves, quarters, … of a list while `stays` holds. */
export async function shrinkList<T>(
  start: readonly T[],
  stays: (smaller: readonly T[]) => Promise<boolean>,
  attempts: number,
): Promise<readonly T[]> {
  let current = start;
  let left = attempts;
  for (let step = Math.ceil(current.length / 2); step >= 1 && left > 0; step = step === 1 ? 0 : Math.ceil(step / 2)) {
    for (let at = 0; at < current.length && left > 0;) {
      const smaller = [...current.slice(0, at), ...current.slice(at + step)];
      left -= 1;
      if (smaller.length < current.length && (await stays(smaller))) current = smaller;
      else at += step;
    }
  }
  return current;
}
