/*
 * Limits failures per key within a sliding window (SEC-62).
 *
 * Attempts in progress count as potential failures; otherwise many attempts sent at once would all pass before the
 * first has failed. They aren't refused for that: they wait until one ends, because successes don't count, and a
 * crowd that logs in at once with correct passwords must not be turned away.
 *
 * Memory: keys without recent failures and without attempts in progress are removed by a sweep whenever the table has
 * doubled. Above the maximum, the keys with the oldest last failure are removed first.
 */
import type { Clock } from '@millrace/kernel';

/** How many failures are allowed within how much time. */
export interface AttemptLimit {
  readonly maxFailures: number;
  readonly windowMs: number;
}

/** An admitted attempt. Call one of the two methods when it ends. */
export interface Attempt {
  /** Counts the failure. */
  failed(): void;
  /** Ends the attempt without counting it. */
  ended(): void;
}

interface Entry {
  /** Times of failures, oldest first. */
  failedAtMs: number[];
  runningCount: number;
  readonly waiting: (() => void)[];
}

const MAX_KEYS = 100_000;

/** Counts failures by key. */
export class AttemptLimiter {
  private readonly entries = new Map<string, Entry>();
  private sweepAtCount = 1_024;

  constructor(
    private readonly limit: AttemptLimit,
    private readonly clock: Clock,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /** Number of keys in memory. */
  get keyCount(): number {
    return this.entries.size;
  }

  /** Resolves with the attempt, or with the milliseconds until another attempt is allowed. */
  async begin(key: string): Promise<Attempt | number> {
    for (;;) {
      const entry = this.entryOf(key);
      const nowMs = this.clock.monotonicMs();
      this.forget(entry, nowMs);
      const { failedAtMs, runningCount } = entry;
      if (failedAtMs.length >= this.limit.maxFailures) {
        return Math.max(1, (failedAtMs[0] ?? nowMs) + this.limit.windowMs - nowMs);
      }
      if (failedAtMs.length + runningCount < this.limit.maxFailures) {
        entry.runningCount++;
        return this.attempt(key, entry);
      }
      await new Promise<void>((resolve) => entry.waiting.push(resolve));
    }
  }

  /** Counts a failure observed on another node. */
  count(key: string): void {
    const entry = this.entryOf(key);
    const nowMs = this.clock.monotonicMs();
    this.forget(entry, nowMs);
    // Further failures add no information, and other nodes may send any number of them.
    entry.failedAtMs = [...entry.failedAtMs, nowMs].slice(-this.limit.maxFailures);
  }

  private attempt(key: string, entry: Entry): Attempt {
    let isOver = false;
    const end = (hasFailed: boolean) => {
      if (isOver) return;
      isOver = true;
      entry.runningCount--;
      if (hasFailed) {
        entry.failedAtMs.push(this.clock.monotonicMs());
        // Re-inserting keeps the keys with the latest failures last, so that older ones are removed first.
        this.entries.delete(key);
        this.entries.set(key, entry);
      }
      const waiting = entry.waiting.splice(0);
      for (const wake of waiting) wake();
    };
    return { failed: () => end(true), ended: () => end(false) };
  }

  private entryOf(key: string): Entry {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    if (this.entries.size >= this.sweepAtCount) this.sweep();
    const entry: Entry = { failedAtMs: [], runningCount: 0, waiting: [] };
    this.entries.set(key, entry);
    return entry;
  }

  private forget(entry: Entry, nowMs: number): void {
    const oldestMs = nowMs - this.limit.windowMs;
    const kept = entry.failedAtMs.findIndex((atMs) => atMs > oldestMs);
    entry.failedAtMs = kept < 0 ? [] : entry.failedAtMs.slice(kept);
  }

  private sweep(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, entry] of this.entries) {
      this.forget(entry, nowMs);
      if (isIdle(entry) && entry.failedAtMs.length === 0) this.entries.delete(key);
    }
    // Removes a quarter at a time: sweeping a full table for every new key would take time proportional to its size.
    const isFull = this.entries.size >= this.maxKeys;
    const keptCount = Math.floor(this.maxKeys * 0.75);
    for (const [key, entry] of this.entries) {
      if (!isFull || this.entries.size <= keptCount) break;
      if (isIdle(entry)) this.entries.delete(key);
    }
    this.sweepAtCount = Math.min(this.maxKeys, Math.max(1_024, this.entries.size * 2));
  }
}

function isIdle({ runningCount, waiting }: Entry): boolean {
  return runningCount === 0 && waiting.length === 0;
}
