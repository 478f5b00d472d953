import { storageErrors } from '../contracts/storage/errors.js';
import type { CollectionName } from '../contracts/storage/StorageEngine.js';
import { assertIndexName, assertNewIndexName } from './assertIndexName.js';

const COLLECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9\-_.]{0,63}$/;

/** Checks both names. @throws storage.invalid_name (400): decisions.md section 5 */
export function toCollectionName(index: string, collection: string): CollectionName {
  assertIndexName(index);
  assertCollectionName(collection);
  return { index, collection };
}

/** For writes that may bring the collection and its index into being. @throws storage.invalid_name (400) */
export function toNewCollectionName(index: string, collection: string): CollectionName {
  assertNewIndexName(index);
  assertCollectionName(collection);
  return { index, collection };
}

function assertCollectionName(collection: string): void {
  if (COLLECTION_NAME.test(collection)) return;
  throw storageErrors.invalid_name({
    what: 'collection',
    value: collection.length > 80 ? `${collection.slice(0, 80)}…` : collection,
    expected: '1 to 64 characters of A-Z a-z 0-9 - _ . beginning with a letter or digit',
  });
}
