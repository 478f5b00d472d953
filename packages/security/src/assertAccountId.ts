import { securityErrors } from '@millrace/kernel';

const MAX_BYTES = 512;
const SHOWN_LENGTH = 80;
// Cc: control characters. Cs: halves of surrogate pairs that stand alone, which no UTF-8 can hold.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** What has an identifier here. */
export type AccountKind = 'user' | 'profile' | 'role';

/** The identifier of requests without a token: no user may take it (SEC-40). */
export const ANONYMOUS_ID = '-1';

/** @throws security.invalid_id (400), SEC-40 */
export function assertAccountId(what: AccountKind, id: string): void {
  if (isAccountId(id) && !(what === 'user' && id === ANONYMOUS_ID)) return;
  const value = id.length > SHOWN_LENGTH ? `${id.slice(0, SHOWN_LENGTH)}…` : id;
  throw securityErrors.invalid_id({ what, value });
}

/** True where something could have this identifier: nothing else is worth a look into the store. */
export function isAccountId(id: string): boolean {
  // The length in UTF-16 units bounds the bytes from below, so that a huge text is not searched.
  const isShort = id.length > 0 && id.length <= MAX_BYTES && Buffer.byteLength(id) <= MAX_BYTES;
  return isShort && !id.startsWith('_') && !REFUSED.test(id);
}
