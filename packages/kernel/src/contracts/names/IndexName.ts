import { storageErrors } from '../storage/errors.js';
import { shortName } from '../../errors/shortName.js';

/** A valid name of an index, made by `toIndexName` or an argument `indexName()`. */
export type IndexName = string & { readonly [BRAND]: true };

declare const BRAND: unique symbol;
const INDEX_NAME = /^[a-z0-9][a-z0-9\-_.]{0,63}$/;

/** @throws storage.invalid_name (400), DOC-1 */
export function toIndexName(index: string): IndexName {
  if (INDEX_NAME.test(index)) return index as IndexName;
  throw storageErrors.invalid_name({
    what: 'index',
    value: shortName(index),
    expected: '1 to 64 characters of a-z 0-9 - _ . beginning with a letter or digit',
  });
}
