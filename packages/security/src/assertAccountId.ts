import { securityErrors } from '@millrace/kernel';

const MAX_BYTES = 512;
const SHOWN_LENGTH = 80;
// Cc: control characters. Cs: unpaired surrogates, which UTF-8 can't represent.
const REFUSED = /[\p{Cc}\p{Cs}]/u;

/** The kinds of records with such an id. */
export type AccountKind = 'user' | 'profile' | 'role';

/** The id of requests without a token; no user may have it (SEC-40). */
export const ANONYMOUS_ID = '-1';

/** @throws security.invalid_id (400), SEC-40 */
export function assertAccountId(what: AccountKind, id: string): void {
  if (isAccountId(id) && !(what === 'user' && id === ANONYMOUS_ID)) return;
  const value = id.length > SHOWN_LENGTH ? `${id.slice(0, SHOWN_LENGTH)}…` : id;
  throw securityErrors.invalid_id({ what, value });
}

/** True if a record could have this id; otherwise no store lookup is needed. */
export function isAccountId(id: string): boolean {
  // The UTF-16 length is a lower bound of the byte length; checking it first avoids scanning a huge string.
  const isShort = id.length > 0 && id.length <= MAX_BYTES && Buffer.byteLength(id) <= MAX_BYTES;
  return isShort && !id.startsWith('_') && !REFUSED.test(id);
}
