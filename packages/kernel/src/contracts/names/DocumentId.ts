import { storageErrors } from '../storage/errors.js';
import { shortName } from '../../errors/shortName.js';

/** A valid document id, made by `toDocumentId` or an argument `documentId()`. */
export type DocumentId = string & { readonly [BRAND]: true };

declare const BRAND: unique symbol;
const MAX_BYTES = 512;
// Matches nearly every id: no need to count bytes or search for special characters.
const PLAIN_ID = /^[\x20-\x7e]{1,512}$/;
// Cc: control characters. Cs: unpaired surrogates, which UTF-8 cannot encode.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** @throws storage.invalid_name (400), DOC-3 */
export function toDocumentId(id: string): DocumentId {
  if (isDocumentId(id)) return id;
  throw storageErrors.invalid_name({
    what: '_id',
    value: shortName(id),
    expected: '1 to 512 bytes of UTF-8 without control characters',
  });
}

/** True for a valid document id. */
export function isDocumentId(id: string): id is DocumentId {
  if (PLAIN_ID.test(id)) return true;
  // The length in UTF-16 units is a lower bound for the bytes, so that a huge string is not scanned.
  const isShort = id.length > 0 && id.length <= MAX_BYTES && Buffer.byteLength(id) <= MAX_BYTES;
  return isShort && !REFUSED.test(id);
}
