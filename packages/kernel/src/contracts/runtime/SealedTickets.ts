/*
 * Tickets that only this process can open: `salt, AES-256-GCM(expiry, value), tag`, in base64url. The key of each
 * ticket is derived from a random process key and the ticket's salt, so no key encrypts twice and the number of tickets
 * is unlimited. The process key is never stored: tickets don't outlive the process.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { Clock } from './Clock.js';
import { ReplayGuard } from './ReplayGuard.js';
import type { Tickets } from './Tickets.js';

const KEY_BYTES = 32;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const EXPIRY_BYTES = 8;
const CIPHER = 'aes-256-gcm';
/** The key is used only once: see the design note. */
const NONCE = Buffer.alloc(12);
const MAX_VALUE_BYTES = 16_384;
const FORM = /^[\w-]+$/;
const MAX_LENGTH = Math.ceil(((SALT_BYTES + EXPIRY_BYTES + MAX_VALUE_BYTES + TAG_BYTES) * 4) / 3);
/** About 100 bytes each. Only a valid ticket adds an entry, so this limit is hard to reach. */
const MAX_REDEEMED = 100_000;

interface OpenTicket {
  readonly salt: string;
  readonly value: JsonObject;
  readonly lifeLeftMs: number;
}

/** The tickets of one process. */
export class SealedTickets implements Tickets {
  private readonly key = randomBytes(KEY_BYTES);
  private readonly redeemed: ReplayGuard;

  constructor(
    private readonly clock: Clock,
    maxRedeemed = MAX_REDEEMED,
  ) {
    this.redeemed = new ReplayGuard(clock, maxRedeemed);
  }

  issue(value: JsonObject, lifeMs: number): string {
    const json = Buffer.from(JSON.stringify(value));
    if (json.length > MAX_VALUE_BYTES) {
      throw new RangeError(`the value of a ticket has at most ${MAX_VALUE_BYTES} bytes`);
    }
    const expiry = Buffer.alloc(EXPIRY_BYTES);
    expiry.writeDoubleBE(this.clock.monotonicMs() + lifeMs);
    const salt = randomBytes(SALT_BYTES);
    // A ticket may be a segment of a path, where one that begins with `_` is no parameter (PROTO-25).
    salt[0] = (salt[0] as number) & 0x7f;
    const cipher = createCipheriv(CIPHER, this.keyOf(salt), NONCE);
    const parts = [salt, cipher.update(expiry), cipher.update(json), cipher.final()];
    return Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url');
  }

  read(ticket: string): JsonObject | null {
    const opened = this.open(ticket);
    return opened === null || this.redeemed.has(opened.salt) ? null : opened.value;
  }

  redeem(ticket: string): JsonObject | null {
    const opened = this.open(ticket);
    if (opened === null || !this.redeemed.claim(opened.salt, opened.lifeLeftMs)) return null;
    return opened.value;
  }

  private open(ticket: string): OpenTicket | null {
    if (ticket.length > MAX_LENGTH || !FORM.test(ticket)) return null;
    const bytes = Buffer.from(ticket, 'base64url');
    if (bytes.length <= SALT_BYTES + EXPIRY_BYTES + TAG_BYTES) return null;
    // Keyed by bytes, not characters: one ticket has several spellings.
    const salt = bytes.subarray(0, SALT_BYTES);
    const plain = this.decrypt(salt, bytes.subarray(SALT_BYTES));
    if (plain === null) return null;
    const lifeLeftMs = plain.readDoubleBE() - this.clock.monotonicMs();
    const value: unknown = JSON.parse(plain.toString('utf8', EXPIRY_BYTES));
    if (lifeLeftMs <= 0 || !isJsonObject(value)) return null;
    return { salt: salt.toString('base64url'), value, lifeLeftMs };
  }

  /** @returns null if it wasn't issued here, or was modified */
  private decrypt(salt: Buffer, sealed: Buffer): Buffer | null {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.keyOf(salt), NONCE, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(sealed.subarray(end));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
    } catch {
      return null;
    }
  }

  private keyOf(salt: Buffer): Buffer {
    return createHmac('sha256', this.key).update(salt).digest();
  }
}
