/*
 * Token buckets that all nodes of a cluster share. A node takes a tenth of a second's tokens at a time (a lease) and
 * spends them without asking again, so that most requests cost no message. Tokens of a lease that aren't spent within a
 * second are lost: a node that receives few requests of a caller would otherwise save them up.
 *
 * While the shared store is away, each node gives the share of the limit that falls to it.
 */
import type { Clock, MaybePromise, NodeLink, RateLease, RateLimit } from '@millrace/kernel';
import { TokenBuckets } from './TokenBuckets.js';

const MAX_KEYS = 100_000;
const LEASES_PER_SECOND = 10;
const LEASE_LIFE_MS = 1_000;

interface Entry {
  /** Tokens of the lease that are left; below 0: owed. */
  tokens: number;
  endsAtMs: number;
  /** The shared bucket is empty until then. */
  emptyUntilMs: number;
  remaining: number;
  fullAtMs: number;
  asking: Promise<RateLease | undefined> | undefined;
}

/** As `TokenBuckets`, for all nodes together. */
export class SharedBuckets {
  private readonly entries = new Map<string, Entry>();
  private readonly alone: TokenBuckets;

  constructor(
    private readonly nodes: NodeLink,
    private readonly clock: Clock,
  ) {
    this.alone = new TokenBuckets(clock);
  }

  /** Takes a token. @returns 0, or the milliseconds until one is available; then none was taken */
  take(key: string, limit: RateLimit): MaybePromise<number> {
    const entry = this.entryOf(key);
    const nowMs = this.clock.monotonicMs();
    if (entry.emptyUntilMs > nowMs) return Math.ceil(entry.emptyUntilMs - nowMs);
    if (entry.endsAtMs <= nowMs) entry.tokens = Math.min(0, entry.tokens);
    if (entry.tokens < 1) return this.lease(key, limit, entry);
    entry.tokens--;
    return 0;
  }

  /** Takes tokens, more than there are if need be: later takers then wait longer. */
  charge(key: string, limit: RateLimit, count: number): void {
    const entry = this.entryOf(key);
    entry.tokens -= count;
    // The other nodes know of a debt only once it is in the shared bucket.
    if (entry.tokens < -limit.burst / LEASES_PER_SECOND) void this.ask(key, limit, entry);
  }

  /** Number of tokens that can be taken now, as far as this node knows. */
  remaining(key: string, _limit: RateLimit): number {
    const { remaining, tokens } = this.entryOf(key);
    return Math.max(0, Math.floor(remaining + tokens));
  }

  /** Milliseconds until the bucket is full. */
  resetMs(key: string): number {
    return Math.max(0, this.entryOf(key).fullAtMs - this.clock.monotonicMs());
  }

  private async lease(key: string, limit: RateLimit, entry: Entry): Promise<number> {
    for (;;) {
      const lease = await this.ask(key, limit, entry);
      if (lease === undefined) return this.alone.take(key, this.shareOf(limit));
      if (lease.waitMs > 0) return Math.ceil(lease.waitMs);
      // Others that waited for the same lease may have taken all of it.
      if (entry.tokens < 1) continue;
      entry.tokens--;
      return 0;
    }
  }

  /** Requests that come meanwhile share the answer. */
  private ask(key: string, limit: RateLimit, entry: Entry): Promise<RateLease | undefined> {
    entry.asking ??= this.askOnce(key, limit, entry).finally(() => (entry.asking = undefined));
    return entry.asking;
  }

  private async askOnce(key: string, limit: RateLimit, entry: Entry): Promise<RateLease | undefined> {
    const needed = Math.ceil(1 - entry.tokens);
    const spare = Math.floor(limit.perSecond / LEASES_PER_SECOND);
    const lease = await this.nodes.lease?.({ key, limit, needed, spare });
    if (lease === undefined) return undefined;
    const nowMs = this.clock.monotonicMs();
    entry.tokens += lease.granted;
    entry.endsAtMs = nowMs + LEASE_LIFE_MS;
    entry.emptyUntilMs = nowMs + lease.waitMs;
    entry.remaining = lease.remaining;
    entry.fullAtMs = nowMs + lease.resetMs;
    return lease;
  }

  private shareOf({ perSecond, burst }: RateLimit): RateLimit {
    const nodeCount = this.nodes.others().length + 1;
    return { perSecond: perSecond / nodeCount, burst: Math.max(1, burst / nodeCount) };
  }

  private entryOf(key: string): Entry {
    const known = this.entries.get(key);
    // Re-inserting keeps recently used keys last.
    if (known !== undefined) this.entries.delete(key);
    const entry = known ?? { tokens: 0, endsAtMs: 0, emptyUntilMs: 0, remaining: 0, fullAtMs: 0, asking: undefined };
    this.entries.set(key, entry);
    if (this.entries.size > MAX_KEYS) {
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest);
        break;
      }
    }
    return entry;
  }
}
