import type { JsonValue } from './Json.js';

// Only an exponent of three digits or 309 consecutive digits can exceed 1.8e308; most bodies contain neither.
const COULD_BE_HUGE = /[eE]\+?\d{3}|\d{309}/;

/**
 * True if a number in the text is too large for a double: JSON.parse turns it into Infinity, which would be stored as
 * null.
 * @param value the parsed text; at most 200 levels deep
 */
export function hasInfinity(text: string, value: JsonValue): boolean {
  return COULD_BE_HUGE.test(text) && containsInfinity(value);
}

function containsInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(containsInfinity);
}
