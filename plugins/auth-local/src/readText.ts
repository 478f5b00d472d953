import { localErrors } from './errors.js';

/**
 * A field of credentials. The value is never repeated in an error.
 * @throws auth.credentials_malformed (400) where it is absent, empty, no text, or no valid Unicode
 */
export function readText(field: string, value: unknown): string {
  const fail = (problem: string) => localErrors.credentials_malformed({ field, problem });
  if (value === undefined || value === null) throw fail('missing: expected a string');
  if (typeof value !== 'string') throw fail(`expected a string, got ${kindOf(value)}`);
  if (value === '') throw fail('expected a string that is not empty');
  // A lone surrogate becomes U+FFFD in UTF-8, so that different passwords would have the same bytes.
  if (/\p{Surrogate}/u.test(value)) throw fail('expected valid Unicode, got a lone surrogate');
  return value;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
