import type { JsonValue } from './Json.js';

// Only an exponent of three digits or 309 digits in a row reach past 1.8e308; in most bodies nothing looks like it.
const COULD_BE_HUGE = /[eE]\+?\d{3}|\d{309}/;

/**
 * True where a number of the text is too large for a double: JSON.parse makes it Infinity, which would be stored as
 * null.
 * @param value the text, parsed; at most 200 levels deep
 */
export function hasInfinity(text: string, value: JsonValue): boolean {
  return COULD_BE_HUGE.test(text) && containsInfinity(value);
}

function containsInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(containsInfinity);
}
