import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../json/Json.js';
import type { Clock } from './Clock.js';
import type { ExpiringStore } from './ExpiringStore.js';

const KEY_BYTES = 32;

interface Entry {
  readonly value: JsonObject;
  /** On the monotonic clock. */
  readonly endsAtMs: number;
}

/**
 * An `ExpiringStore` in the memory of this process, bounded in number: past `maxEntries` the oldest one goes, so that a
 * flood shortens lives and fills nothing. Entries stand in order of their arrival; each new one clears away what is over
 * at the front, so no timer is needed.
 */
export class MemoryExpiringStore implements ExpiringStore {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly clock: Clock,
    private readonly maxEntries: number,
  ) {}

  /** How many are kept, those that are over and not yet cleared away among them. */
  get size(): number {
    return this.entries.size;
  }

  newKey(): string {
    return randomBytes(KEY_BYTES).toString('base64url');
  }

  add(key: string, value: JsonObject, lifeMs: number): boolean {
    const nowMs = this.clock.monotonicMs();
    const known = this.entries.get(key);
    if (known !== undefined && known.endsAtMs > nowMs) return false;
    this.entries.delete(key);
    this.entries.set(key, { value, endsAtMs: nowMs + lifeMs });
    for (const [oldKey, { endsAtMs }] of this.entries) {
      if (endsAtMs > nowMs && this.entries.size <= this.maxEntries) break;
      this.entries.delete(oldKey);
    }
    return true;
  }

  read(key: string): JsonObject | null {
    const entry = this.entries.get(key);
    return entry !== undefined && entry.endsAtMs > this.clock.monotonicMs() ? entry.value : null;
  }

  take(key: string): JsonObject | null {
    const value = this.read(key);
    this.entries.delete(key);
    return value;
  }
}
