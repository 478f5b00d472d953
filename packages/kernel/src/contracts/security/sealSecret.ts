import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Its first use; another text would make the stored secrets unreadable. */
const PURPOSE = 'millrace signing key';

/**
 * Encrypts a secret with AES-256-GCM, using a key derived from another secret by HKDF-SHA-256. The other secret must
 * be random and at least 32 bytes long, so no slow derivation is needed.
 * @param name bound to the result: the ciphertext can't be used under another name
 * @returns base64url of salt, nonce, tag and ciphertext
 */
export function sealSecret(text: string, name: string, secret: string): string {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt), iv);
  cipher.setAAD(Buffer.from(name));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, iv, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/** Decrypts the result of `sealSecret`; null if name, secret or any byte differs. */
export function openSecret(sealed: string, name: string, secret: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  const [salt, iv, tag] = split(bytes, SALT_BYTES, IV_BYTES, TAG_BYTES);
  if (salt === undefined || iv === undefined || tag?.length !== TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, salt), iv);
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(tag);
  const encrypted = bytes.subarray(SALT_BYTES + IV_BYTES + TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, PURPOSE, KEY_BYTES));
}

function split(bytes: Buffer, ...lengths: readonly number[]): readonly Buffer[] {
  let at = 0;
  return lengths.map((length) => bytes.subarray(at, (at += length)));
}
