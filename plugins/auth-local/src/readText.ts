import { localErrors } from './errors.js';

/**
 * Reads a field of credentials. Errors never include the value.
 * @throws auth.credentials_malformed (400) if it is absent, empty, not a string, or not valid Unicode
 */
export function readText(field: string, value: unknown): string {
  const fail = (problem: string) => localErrors.credentials_malformed({ field, problem });
  if (value === undefined || value === null) throw fail('missing: expected a string');
  if (typeof value !== 'string') throw fail(`expected a string, got ${kindOf(value)}`);
  if (value === '') throw fail('expected a string that is not empty');
  // A lone surrogate becomes U+FFFD in UTF-8, so different passwords would have the same bytes.
  if (/\p{Surrogate}/u.test(value)) throw fail('expected valid Unicode, got a lone surrogate');
  return value;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
