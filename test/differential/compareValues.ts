import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Mismatch } from './Answer.js';

const TOLERANCE = 1e-9;

/** Compares two JSON values; numbers within 10⁻⁹. */
export function* compareValues(
  a: JsonValue,
  b: JsonValue,
  { path, kind = path }: { readonly path: string; readonly kind?: string },
): Generator<Mismatch, void> {
  if (isParent(a) && isParent(b) && Array.isArray(a) === Array.isArray(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const key of keys) {
      const [x, y] = [(a as JsonObject)[key], (b as JsonObject)[key]];
      if (x === undefined || y === undefined) yield { kind, left: { [path]: a }, right: { [path]: b } };
      else yield* compareValues(x, y, { path: `${path}.${key}`, kind });
    }
    return;
  }
  const isSame = typeof a === 'number' && typeof b === 'number' ? isNear(a, b, TOLERANCE) : a === b;
  if (!isSame) yield { kind, left: { [path]: a }, right: { [path]: b } };
}

export function isParent(value: JsonValue | undefined): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null;
}

/** Within a relative tolerance; close to 0 within 10⁻⁹. */
export function isNear(a: number, b: number, tolerance: number): boolean {
  return a === b || Math.abs(a - b) <= Math.max(tolerance * Math.max(Math.abs(a), Math.abs(b)), 1e-9);
}
