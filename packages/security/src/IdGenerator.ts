/*
 * Generated ids (DOC-3): 20 URL-safe characters, sortable by time, unguessable. 7 characters hold 42 bits of
 * milliseconds, 13 hold 78 random bits. The alphabet is in code-unit order, so comparing strings compares times. A
 * request generates few ids, so each id draws its own random bytes.
 */
import { randomBytes } from 'node:crypto';
import { CLOCK, type Clock } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 7;
const RANDOM_LENGTH = 13;

/** Generates ids of users and tokens. One per server. */
@scoped(Scope.ContainerScoped)
export class IdGenerator {
  constructor(@inject(CLOCK) private readonly clock: Clock) {}

  /** An id that never begins with `_`, which user ids must not. */
  next(): string {
    let text = this.timeText();
    for (const byte of randomBytes(RANDOM_LENGTH)) text += ALPHABET.charAt(byte & 63);
    // Around the year 2050 the first character would become `_`, which is refused.
    return text.startsWith('_') ? `Z${text.slice(1)}` : text;
  }

  private timeText(): string {
    // Bitwise operators are limited to 32 bits, so the digits are computed by division.
    let rest = Math.floor(this.clock.nowMs());
    let text = '';
    for (let i = 0; i < TIME_LENGTH; i++) {
      text = ALPHABET.charAt(rest % 64) + text;
      rest = Math.floor(rest / 64);
    }
    return text;
  }
}
