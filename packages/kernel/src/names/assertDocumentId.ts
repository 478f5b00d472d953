import { storageErrors } from '../contracts/storage/errors.js';

const MAX_BYTES = 512;
// Nearly every id: no need to count bytes or to look for strange characters.
const PLAIN_ID = /^[\x20-\x7e]{1,512}$/;
// Cc: control characters. Cs: halves of surrogate pairs that stand alone, which no UTF-8 can hold.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** @throws storage.invalid_name (400): decisions.md section 5 */
export function assertDocumentId(id: string): void {
  if (PLAIN_ID.test(id)) return;
  // The length in UTF-16 units bounds the bytes from below, so that a huge text is not searched.
  const isShort = id.length > 0 && id.length <= MAX_BYTES && Buffer.byteLength(id) <= MAX_BYTES;
  if (isShort && !REFUSED.test(id)) return;
  throw storageErrors.invalid_name({
    what: '_id',
    value: id.length > 80 ? `${id.slice(0, 80)}…` : id,
    expected: '1 to 512 bytes of UTF-8 without control characters',
  });
}
