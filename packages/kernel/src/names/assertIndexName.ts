import { storageErrors } from '../contracts/storage/errors.js';

const INDEX_NAME = /^[a-z0-9][a-z0-9\-_.]{0,63}$/;

/** First segments of routes that are no index (decisions.md section 2). */
const RESERVED = new Set([
  'users',
  'profiles',
  'roles',
  'ms',
  'validations',
  'api',
  'strategies',
  'credentials',
]);

/** @throws storage.invalid_name (400): decisions.md section 5 */
export function assertIndexName(index: string): void {
  if (INDEX_NAME.test(index)) return;
  throw storageErrors.invalid_name({
    what: 'index',
    value: shorten(index),
    expected: '1 to 64 characters of a-z 0-9 - _ . beginning with a letter or digit',
  });
}

/** For whatever may bring an index into being: refuses the reserved names too. @throws storage.invalid_name (400) */
export function assertNewIndexName(index: string): void {
  assertIndexName(index);
  if (!RESERVED.has(index)) return;
  throw storageErrors.invalid_name({
    what: 'index',
    value: index,
    expected: 'a name that is not the beginning of a route of the service',
  });
}

function shorten(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
