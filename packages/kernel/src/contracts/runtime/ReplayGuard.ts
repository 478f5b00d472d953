import type { Clock } from './Clock.js';

/**
 * Remembers used keys until they expire. Limited to `maxKeys`, beyond which the oldest key is dropped. So the caller
 * must add only keys that cost their sender something (a login that reached its second step), never ones that anyone
 * can create. Keys are kept in order of arrival; each new one removes expired ones at the front, so no timer is needed.
 */
export class ReplayGuard {
  /** Expiry on the monotonic clock, by key. */
  private readonly used = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly maxKeys: number,
  ) {}

  /** Number of keys in memory, including expired ones that haven't been removed yet. */
  get size(): number {
    return this.used.size;
  }

  /** Marks a key as used for `lifeMs`. @returns false if it is marked already */
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
