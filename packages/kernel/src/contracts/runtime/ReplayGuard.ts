import type { Clock } from './Clock.js';

/**
 * Remembers keys that were used, until they expire. Bounded by number: past `maxKeys` the oldest one goes. So the caller
 * adds keys that cost their sender something (a login that got as far as its second step), never what anyone can make.
 * Keys are in order of their arrival; each new one clears away those that have expired at the front, so no timer is
 * needed.
 */
export class ReplayGuard {
  /** Expiry on the monotonic clock by key. */
  private readonly used = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly maxKeys: number,
  ) {}

  /** Number of keys in memory, expired ones that are not yet cleared away included. */
  get size(): number {
    return this.used.size;
  }

  /** Marks a key as used for so long. @returns false where it is marked already */
  claim(key: string, lifeMs: number): boolean {
    if (this.has(key)) return false;
    const nowMs = this.clock.monotonicMs();
    this.used.delete(key);
    this.used.set(key, nowMs + lifeMs);
    for (const [oldKey, expiresAtMs] of this.used) {
      if (expiresAtMs > nowMs && this.used.size <= this.maxKeys) break;
      this.used.delete(oldKey);
    }
    return true;
  }

  has(key: string): boolean {
    const expiresAtMs = this.used.get(key);
    return expiresAtMs !== undefined && expiresAtMs > this.clock.monotonicMs();
  }
}
