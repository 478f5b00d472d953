import { storageErrors } from '../storage/errors.js';
import { toIndexName, type IndexName } from './IndexName.js';
import { shortName } from '../../errors/shortName.js';

/** A valid name of a collection within its index, made by `toCollectionPart` or an argument `collectionName()`. */
export type CollectionPart = string & { readonly [BRAND]: true };

/** The valid names of a collection and of its index. */
export interface CheckedCollection {
  readonly index: IndexName;
  readonly collection: CollectionPart;
}

declare const BRAND: unique symbol;
const COLLECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9\-_.]{0,63}$/;

/** @throws storage.invalid_name (400) */
export function toCollectionName(index: string, collection: string): CheckedCollection {
  return { index: toIndexName(index), collection: toCollectionPart(collection) };
}

/** @throws storage.invalid_name (400), DOC-1 */
export function toCollectionPart(collection: string): CollectionPart {
  if (COLLECTION_NAME.test(collection)) return collection as CollectionPart;
  throw storageErrors.invalid_name({
    what: 'collection',
    value: shortName(collection),
    expected: '1 to 64 characters of A-Z a-z 0-9 - _ . beginning with a letter or digit',
  });
}
