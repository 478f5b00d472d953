import { COMMON_PASSWORDS } from './COMMON_PASSWORDS.js';
import type { LocalConfig } from './config.js';
import { localErrors } from './errors.js';
import { readText } from './readText.js';

/**
 * Validates a new password.
 * @returns the password as sent
 * @throws auth.credentials_malformed, auth.password_refused (400)
 */
export function checkPassword(value: unknown, userId: string, rules: LocalConfig['password']): string {
  const password = readText('password', value);
  const refuse = (problem: string) => localErrors.password_refused({ problem });
  // Length in bytes first: it bounds the work of the other checks.
  if (Buffer.byteLength(password) > rules.maxLength) {
    throw refuse(`expected at most ${rules.maxLength} bytes`);
  }
  // Code points, not UTF-16 units: a character outside the BMP must not count twice.
  if ([...password.normalize('NFC')].length < rules.minLength) {
    throw refuse(`expected at least ${rules.minLength} characters`);
  }
  if (rules.forbidUsername && password.toLowerCase() === userId.toLowerCase()) {
    throw refuse("expected another string than the user's identifier");
  }
  if (COMMON_PASSWORDS.has(password.toLowerCase())) {
    throw refuse('it is one of the most common passwords: expected one that is harder to guess');
  }
  return password;
}
