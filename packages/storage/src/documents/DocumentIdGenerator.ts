/*
 * Generated ids (DOC-3): 20 URL-safe characters, sortable by time, unguessable.
 *
 * 7 characters encode 42 bits of milliseconds (until the year 2109), 13 encode 78 random bits. The alphabet is in
 * code-unit order, so that comparing strings compares times. Random bytes are drawn for many ids at once: a system call
 * per id would cost more than everything else.
 */
import { CLOCK, type Clock, type DocumentId } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped, type InjectionToken } from 'tsyringe';

/** Returns the given number of unpredictable bytes. Injected so that tests are repeatable. */
export type RandomBytes = (byteCount: number) => Uint8Array;

/** The random source of this server. */
export const RANDOM_BYTES: InjectionToken<RandomBytes> = Symbol('RandomBytes');

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 7;
const RANDOM_LENGTH = 13;
const POOL_IDS = 256;

/** Generates document ids. One per server. */
@scoped(Scope.ContainerScoped)
export class DocumentIdGenerator {
  private pool: Uint8Array = new Uint8Array(0);
  private poolPosition = 0;
  private timeMs = -1;
  private timeText = '';

  constructor(
    @inject(CLOCK) private readonly clock: Clock,
    @inject(RANDOM_BYTES) private readonly randomBytes: RandomBytes,
  ) {}

  next(): DocumentId {
    const nowMs = this.clock.nowMs();
    if (nowMs !== this.timeMs) {
      this.timeMs = nowMs;
      this.timeText = encodeTime(nowMs);
    }
    if (this.poolPosition + RANDOM_LENGTH > this.pool.length) {
      this.pool = this.randomBytes(RANDOM_LENGTH * POOL_IDS);
      this.poolPosition = 0;
    }
    let id = this.timeText;
    for (let i = 0; i < RANDOM_LENGTH; i++) id += letter(this.pool[this.poolPosition++] ?? 0);
    return id as DocumentId;
  }
}

function encodeTime(ms: number): string {
  // Bit operations are limited to 32 bits, so the digits are divided out.
  let rest = Math.floor(ms);
  let text = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = letter(rest % 64) + text;
    rest = Math.floor(rest / 64);
  }
  return text;
}

function letter(bits: number): string {
  return ALPHABET.charAt(bits & 63);
}
