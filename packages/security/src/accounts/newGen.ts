import { randomBytes } from 'node:crypto';

const BYTES = 16;

/** A new `gen`, contained in no token. */
export function newGen(): string {
  return randomBytes(BYTES).toString('base64url');
}
