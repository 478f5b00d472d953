import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from './PasswordHasher.js';

const BLOCK_SIZE = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Stored hashes above this are considered malformed: they would need more than 1 GiB. */
const MAX_LOG_COST = 20;

/** Hashes of the form `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, computed by `node:crypto` in its thread pool. */
export class ScryptHasher implements PasswordHasher {
  readonly algorithm = 'scrypt';

  constructor(private readonly logCost: number) {}

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await derive(password, salt, this.logCost);
    return `$scrypt$ln=${this.logCost},r=${BLOCK_SIZE},p=1$${encode(salt)}$${encode(hash)}`;
  }

  async verify(hash: string, password: string): Promise<boolean> {
    const parts = parse(hash);
    if (parts === null) return false;
    return timingSafeEqual(await derive(password, parts.salt, parts.logCost), parts.hash);
  }

  isOutdated(hash: string): boolean {
    const parts = parse(hash);
    return parts === null || parts.logCost < this.logCost;
  }
}

interface ScryptParts {
  readonly logCost: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

// 22 and 43 characters: 16 and 32 bytes in base64 without padding.
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=8,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

function parse(text: string): ScryptParts | null {
  const [, logCost, salt, hash] = FORM.exec(text) ?? [];
  if (logCost === undefined || salt === undefined || hash === undefined) return null;
  const number = Number(logCost);
  if (number < 1 || number > MAX_LOG_COST) return null;
  return {
    logCost: number,
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function derive(password: string, salt: Buffer, logCost: number): Promise<Buffer> {
  const cost = 2 ** logCost;
  // Node refuses to use more than `maxmem`; scrypt needs slightly more than 128 * N * r bytes.
  const maxmem = 128 * BLOCK_SIZE * cost + 1_048_576;
  return new Promise((resolve, reject) => {
    const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem };
    scrypt(password, salt, HASH_BYTES, options, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
