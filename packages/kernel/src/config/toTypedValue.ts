import { coreErrors } from '../errors/errors.js';
import { isJsonObject, type JsonValue } from '../json/Json.js';
import { showValue } from '../errors/showValue.js';
import type { ConfigKey } from './ConfigSchema.js';

const NUMERIC = /^-?\d{1,15}(\.\d+)?$/;

/** Credentials in a URL: `redis://user:password@host`. */
const LOGIN_IN_ADDRESS = /\/\/[^/@\s]*@/g;

/**
 * Converts a string strictly to the type of the key's format: convict itself would parse "12abc" as 12.
 * @throws core.invalid_config
 */
export function toTypedValue({ path, leaf }: ConfigKey, value: unknown, origin: string): unknown {
  const { format } = leaf;
  const refuse = (expected: string): Error =>
    coreErrors.invalid_config({
      problem: `Invalid configuration ${path}: expected ${expected}, got ${showConfigValue(leaf, value)} (${origin})`,
    });
  const parse = (): JsonValue => {
    try {
      return JSON.parse(value as string) as JsonValue;
    } catch {
      // The parser's message quotes the value.
      throw refuse('JSON');
    }
  };
  if (typeof value !== 'string') {
    if (format === Boolean && typeof value !== 'boolean') throw refuse('true or false');
    // Convict would treat its members as keys.
    if (isJsonObject(value) && typeof leaf.default === 'number') throw refuse('a number');
    return value;
  }
  if (format === Boolean || format === 'Boolean') {
    if (value === 'true') return true;
    if (value === 'false') return false;
    throw refuse('true or false');
  }
  if (format === 'int' || format === 'nat' || format === 'port' || format === Number) {
    if (NUMERIC.test(value)) return Number(value);
    throw refuse(format === 'port' ? 'a port from 0 to 65535' : 'a number');
  }
  // A custom format doesn't imply a type: the default does.
  if (typeof leaf.default === 'number') {
    if (NUMERIC.test(value)) return Number(value);
    throw refuse('a number');
  }
  if (typeof leaf.default === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (format === Object || format === Array) return parse();
  // Convict parses these without naming the key in errors.
  if (Array.isArray(leaf.default)) {
    if (value.trim().startsWith('[')) return parse();
    return value.split(',').flatMap((each) => each.trim() || []);
  }
  if (isJsonObject(leaf.default)) {
    const tree = value.trim() === '' ? {} : parse();
    if (isJsonObject(tree)) return tree;
    throw refuse('an object as JSON');
  }
  return value;
}

/** A value for a message: nothing of a secret, and no credentials in a URL. */
export function showConfigValue({ sensitive }: ConfigKey['leaf'], value: unknown): string {
  return sensitive === true ? 'a secret of another form' : showValue(value).replace(LOGIN_IN_ADDRESS, '//…@');
}
