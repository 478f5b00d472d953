/*
 * Generated ids (DOC-3): 20 URL-safe characters, sortable by time, unguessable.
 *
 * 7 characters encode 42 bits of milliseconds (until the year 2109), 13 encode 78 random bits. The alphabet is in
 * code-unit order, so that comparing strings compares times. Random bytes are drawn for many ids at once: a system call
 * per id would cost more than everything else.
 */
import { randomBytes } from 'node:crypto';
import type { InjectionToken } from 'tsyringe';
import type { Clock } from '../runtime/Clock.js';
import type { DocumentId } from './DocumentId.js';

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
/** Without `_`, with which an id of a user must not begin: it would from the year 2050 on. */
const FIRST_ALPHABET = `${ALPHABET.replace('_', '')}~`;
const TIME_LENGTH = 7;
const RANDOM_LENGTH = 13;
const POOL_IDS = 256;

/** Generates ids of documents, users and tokens. */
export class IdGenerator {
  private pool: Uint8Array = new Uint8Array(0);
  private poolPosition = 0;
  private timeMs = -1;
  private timeText = '';

  /** @param draw returns a number of unpredictable bytes */
  constructor(
    private readonly clock: Clock,
    private readonly draw: (byteCount: number) => Uint8Array = randomBytes,
  ) {}

  next(): DocumentId {
    const nowMs = this.clock.nowMs();
    if (nowMs !== this.timeMs) {
      this.timeMs = nowMs;
      this.timeText = encodeTime(nowMs);
    }
    if (this.poolPosition + RANDOM_LENGTH > this.pool.length) {
      this.pool = this.draw(RANDOM_LENGTH * POOL_IDS);
      this.poolPosition = 0;
    }
    let id = this.timeText;
    for (let i = 0; i < RANDOM_LENGTH; i++) id += ALPHABET.charAt((this.pool[this.poolPosition++] ?? 0) & 63);
    return id as DocumentId;
  }
}

function encodeTime(ms: number): string {
  // Bit operations are limited to 32 bits, so the digits are divided out.
  let rest = Math.floor(ms);
  let text = '';
  for (let i = 1; i < TIME_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 64) + text;
    rest = Math.floor(rest / 64);
  }
  return FIRST_ALPHABET.charAt(rest % 64) + text;
}

/** Registered by the services that make ids; one of each. */
export const ID_GENERATOR: InjectionToken<IdGenerator> = Symbol.for('millrace.IdGenerator');
