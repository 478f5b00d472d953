import { randomBytes } from 'node:crypto';

const BYTES = 16;

/** A `gen` that no token has. */
export function newGen(): string {
  return randomBytes(BYTES).toString('base64url');
}
