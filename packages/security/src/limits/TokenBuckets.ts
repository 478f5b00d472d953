/*
 * Token buckets by key: each holds up to `burst` tokens and regains `perMinute` of them a minute. Unlike an
 * `AttemptLimiter` it counts successes too, since they cost as much as failures.
 *
 * A bucket is one number, the time at which it will be full again (the virtual scheduling form of the generic cell rate
 * algorithm, ITU-T I.371): each token taken moves that time on by the time one token needs.
 *
 * Memory: a bucket that is full again says nothing and is removed by a sweep whenever the table has doubled; past the
 * maximum the buckets used longest ago are removed first.
 */
import type { Clock } from '@millrace/kernel';

const MINUTE_MS = 60_000;
const MAX_KEYS = 100_000;

/** Size of a bucket and how fast it fills. */
export interface BucketLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** Limits how often something is done per key. */
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

  /** Takes a token. @returns 0, or the milliseconds until there is one: then none was taken */
  take(key: string): number {
    const nowMs = this.clock.monotonicMs();
    const fullAtMs = Math.max(nowMs, this.fullAtMs.get(key) ?? nowMs);
    const waitMs = fullAtMs - nowMs - (this.limit.burst - 1) * this.tokenMs;
    if (waitMs > 0) return Math.ceil(waitMs);
    if (this.fullAtMs.size >= this.sweepAtCount) this.sweep(nowMs);
    // The keys used last are last in the map, so that a sweep meets the others first.
    this.fullAtMs.delete(key);
    this.fullAtMs.set(key, fullAtMs + this.tokenMs);
    return 0;
  }

  private sweep(nowMs: number): void {
    const isCrowded = this.fullAtMs.size >= this.maxKeys;
    // A quarter at a time: a sweep for every new key of a full table would cost as much as the table is long.
    const keptCount = Math.floor(this.maxKeys * 0.75);
    for (const [key, fullAtMs] of this.fullAtMs) {
      const isExcess = isCrowded && this.fullAtMs.size > keptCount;
      if (fullAtMs <= nowMs || isExcess) this.fullAtMs.delete(key);
    }
    this.sweepAtCount = Math.min(this.maxKeys, Math.max(1_024, this.fullAtMs.size * 2));
  }
}
