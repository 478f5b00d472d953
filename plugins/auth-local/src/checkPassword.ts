import { COMMON_PASSWORDS } from './COMMON_PASSWORDS.js';
import type { LocalConfig } from './config.js';
import { localErrors } from './errors.js';
import { readText } from './readText.js';

/**
 * Checks a password that somebody chooses.
 * @returns the password as sent
 * @throws auth.credentials_malformed, auth.password_refused (400)
 */
export function checkPassword(
  value: unknown,
  userId: string,
  rules: LocalConfig['password'],
): string {
  const password = readText('password', value);
  const refuse = (problem: string) => localErrors.password_refused({ problem });
  // Bytes first: it bounds what the other checks cost.
  if (Buffer.byteLength(password) > rules.maxLength) {
    throw refuse(`expected at most ${rules.maxLength} bytes`);
  }
  // Code points, not UTF-16 units: one character must not count twice for lying far up in Unicode.
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
