import type { JsonScalar } from './Json.js';

/** True for a string, a number or a boolean. */
export function isJsonScalar(value: unknown): value is JsonScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
