/*
 * Token buckets by key: each holds up to `burst` tokens and refills at `perMinute` tokens a minute. Unlike
 * `AttemptLimiter` it counts successes too, because they are as expensive as failures.
 *
 * A bucket is one number, the time at which it will be full again (the virtual scheduling form of the generic cell
 * rate algorithm, ITU-T I.371): taking a token advances that time by the time it takes to refill one token.
 *
 * Memory: a full bucket holds no information and is removed by a sweep whenever the table has doubled. Above the
 * maximum, the least recently used buckets are removed first.
 */
import type { Clock } from '@millrace/kernel';

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Size and refill rate of a bucket. */
export interface BucketLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** Limits the rate of an operation per key. */
export class TokenBuckets {
  private readonly fullAtMs = new Map<string, number>();
  private readonly tokenMs: number;
  private sweepAtCount = 1_024;

  constructor(
    private readonly limit: BucketLimit,
    private readonly clock: Clock,
    private readonly maxKeys = MAX_KEYS,
  ) {
    this.tokenMs = MINUTE_MS / limit.perMinute;
  }

  /** Number of keys in memory. */
  get keyCount(): number {
    return this.fullAtMs.size;
  }

  /** Takes a token. @returns 0, or the milliseconds until one is available; then none was taken */
  take(key: string): number {
    const nowMs = this.clock.monotonicMs();
    const fullAtMs = Math.max(nowMs, this.fullAtMs.get(key) ?? nowMs);
    const waitMs = fullAtMs - nowMs - (this.limit.burst - 1) * this.tokenMs;
    if (waitMs > 0) return Math.ceil(waitMs);
    if (this.fullAtMs.size >= this.sweepAtCount) this.sweep(nowMs);
    // Re-inserting keeps recently used keys last, so that a sweep sees the others first.
    this.fullAtMs.delete(key);
    this.fullAtMs.set(key, fullAtMs + this.tokenMs);
    return 0;
  }

  private sweep(nowMs: number): void {
    const isCrowded = this.fullAtMs.size >= this.maxKeys;
    // Removes a quarter at a time: sweeping a full table for every new key would take time proportional to its size.
    const keptCount = Math.floor(this.maxKeys * 0.75);
    for (const [key, fullAtMs] of this.fullAtMs) {
      const isExcess = isCrowded && this.fullAtMs.size > keptCount;
      if (fullAtMs <= nowMs || isExcess) this.fullAtMs.delete(key);
    }
    this.sweepAtCount = Math.min(this.maxKeys, Math.max(1_024, this.fullAtMs.size * 2));
  }
}
