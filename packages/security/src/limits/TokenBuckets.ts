/*
 * Token buckets by key: each holds up to `burst` tokens and refills at `perSecond` tokens a second. Unlike
 * `AttemptLimiter` it counts successes too, because they are as expensive as failures.
 *
 * A bucket is one number, the time at which it will be full again (the virtual scheduling form of the generic cell
 * rate algorithm, ITU-T I.371): taking a token advances that time by the time it takes to refill one token.
 *
 * Memory: a full bucket holds no information and is removed by a sweep whenever the table has doubled. Above the
 * maximum, the least recently used buckets are removed first.
 */
import type { Clock, RateLimit } from '@millrace/kernel';

const MAX_KEYS = 100_000;
/** How long the place of a used bucket among the others stays as it is. */
const MOVE_EVERY_MS = 1_000;

interface Bucket {
  /** Time at which it will be full. */
  fullAtMs: number;
  readonly movedAtMs: number;
}

/** Limits the rate of an operation per key. A key must always come with the same limit, but for changes of it. */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private sweepAtCount = 1_024;

  constructor(
    private readonly clock: Clock,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /** Number of keys in memory. */
  get keyCount(): number {
    return this.buckets.size;
  }

  /** Takes a token. @returns 0, or the milliseconds until one is available; then none was taken */
  take(key: string, limit: RateLimit): number {
    const waitMs = this.resetMs(key) - (limit.burst - 1) * tokenMs(limit);
    if (waitMs > 0) return Math.ceil(waitMs);
    this.charge(key, limit, 1);
    return 0;
  }

  /** Takes tokens, more than there are if need be: later takers then wait longer. */
  charge(key: string, limit: RateLimit, count: number): void {
    const nowMs = this.clock.monotonicMs();
    const bucket = this.buckets.get(key);
    const fullAtMs = Math.max(nowMs, bucket?.fullAtMs ?? 0) + count * tokenMs(limit);
    if (bucket !== undefined && nowMs - bucket.movedAtMs < MOVE_EVERY_MS) {
      bucket.fullAtMs = fullAtMs;
      return;
    }
    if (this.buckets.size >= this.sweepAtCount) this.sweep(nowMs);
    // Re-inserting keeps recently used keys last, so that a sweep sees the others first. It costs much in a map.
    this.buckets.delete(key);
    this.buckets.set(key, { fullAtMs, movedAtMs: nowMs });
  }

  /** Number of tokens that can be taken now. */
  remaining(key: string, limit: RateLimit): number {
    return Math.max(0, Math.floor(limit.burst - this.resetMs(key) / tokenMs(limit)));
  }

  /** Milliseconds until the bucket is full. */
  resetMs(key: string): number {
    const nowMs = this.clock.monotonicMs();
    return Math.max(0, (this.buckets.get(key)?.fullAtMs ?? nowMs) - nowMs);
  }

  private sweep(nowMs: number): void {
    const isCrowded = this.buckets.size >= this.maxKeys;
    // Removes a quarter at a time: sweeping a full table for every new key would take time proportional to its size.
    const keptCount = Math.floor(this.maxKeys * 0.75);
    for (const [key, { fullAtMs }] of this.buckets) {
      const isExcess = isCrowded && this.buckets.size > keptCount;
      if (fullAtMs <= nowMs || isExcess) this.buckets.delete(key);
    }
    this.sweepAtCount = Math.min(this.maxKeys, Math.max(1_024, this.buckets.size * 2));
  }
}

function tokenMs({ perSecond }: RateLimit): number {
  return 1_000 / perSecond;
}
