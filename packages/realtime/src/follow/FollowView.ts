/*
 * A followed search: its last result, and the search again after each change that can concern it. All followers of a
 * search with the same rights share one view, so that a change is found and encoded once.
 */
import {
  MillraceError,
  realtimeErrors,
  type Clock,
  type Cursor,
  type JsonObject,
} from '@millrace/kernel';
import type { FollowedResult } from './FollowedResult.js';
import { WindowDelta } from './WindowDelta.js';

/** Shortest time between the starts of two searches. */
const MIN_PAUSE_MS = 250;
/** A search that takes long runs for at most this part of the time. */
const BUSY_SHARE = 10;
const MAX_RETRY_MS = 30_000;
/** A search that names the current time has another result without a change. */
const EVERY_MINUTE_MS = 60_000;
/** Deltas that are kept for followers that return. */
const KEPT_DELTAS = 32;
const KEPT_LENGTH = 2 ** 18;
/** Refusals that stay: the right was taken away, the index is gone, the mapping no longer fits the search. */
const FIRST_SERVER_FAULT = 500;
const TOO_MANY_REQUESTS = 429;
const CANCELLED = 499;

/** A delta as it was sent. */
export interface SentDelta {
  readonly base: Cursor;
  readonly content: JsonObject;
  /** Of its JSON. */
  readonly length: number;
}

/** What a view needs. */
export interface FollowViewParts {
  readonly clock: Clock;
  /** Least time between two deltas, in milliseconds. */
  readonly maxRateMs: number;
  /** Whether the search names the current time. */
  readonly isTimed: boolean;
  /** Runs the search. Its `cursor` is a position read before. @throws MillraceError */
  readonly search: () => Promise<FollowedResult>;
  readonly publish: (delta: SentDelta) => void;
  /** Counts the memory of the view. @throws MillraceError if the server has no more for followed searches */
  readonly keep: (bytes: number) => void;
  /** The search is refused from now on: its followers must end. */
  readonly refused: (error: MillraceError) => void;
}

/** The shared state of the followers of one search. */
export class FollowView {
  private last: FollowedResult | undefined;
  private kept: SentDelta[] = [];
  private running: Promise<void> | undefined;
  private isStale = false;
  private timer: NodeJS.Timeout | undefined;
  private nextMs = -Infinity;
  private failureCount = 0;
  private isClosed = false;

  constructor(private readonly parts: FollowViewParts) {}

  /** The last result. @throws MillraceError if the first search fails */
  async result(): Promise<FollowedResult> {
    while (this.last === undefined) {
      this.running ??= this.load();
      await this.running;
    }
    return this.last;
  }

  /** The deltas after a position that a follower has; undefined if the position is too old or unknown. */
  after(cursor: Cursor): readonly SentDelta[] | undefined {
    if (this.last?.cursor === cursor) return [];
    const first = this.kept.findIndex(({ base }) => base === cursor);
    return first < 0 ? undefined : this.kept.slice(first);
  }

  /** A document that can concern the result has changed. */
  changed(): void {
    const waitsAlready = this.isStale && this.timer !== undefined;
    if (this.isClosed || waitsAlready) return;
    this.isStale = true;
    if (this.running !== undefined || this.last === undefined) return;
    const waitMs = this.nextMs - this.parts.clock.monotonicMs();
    if (waitMs <= 0) this.refresh();
    else this.wait(waitMs);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async load(): Promise<void> {
    try {
      this.isStale = false;
      const result = await this.search();
      this.parts.keep(result.bytes);
      this.last = result;
    } finally {
      this.running = undefined;
    }
    this.goOn();
  }

  private refresh(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isStale = false;
    this.running = this.run();
  }

  private async run(): Promise<void> {
    try {
      const result = await this.search();
      this.failureCount = 0;
      if (!this.isClosed) this.take(result);
    } catch (error) {
      this.failed(error);
    }
    this.running = undefined;
    this.goOn();
  }

  private async search(): Promise<FollowedResult> {
    const { clock, maxRateMs, search } = this.parts;
    const startMs = clock.monotonicMs();
    try {
      return await search();
    } finally {
      const tookMs = clock.monotonicMs() - startMs;
      this.nextMs = startMs + Math.max(MIN_PAUSE_MS, maxRateMs, tookMs * BUSY_SHARE);
    }
  }

  /** Changes during the search, and the passing of time. */
  private goOn(): void {
    if (this.isClosed) return;
    if (this.isStale) this.changed();
    else if (this.parts.isTimed) this.wait(EVERY_MINUTE_MS);
  }

  private take(result: FollowedResult): void {
    const { last } = this;
    if (last === undefined) return;
    const delta = WindowDelta.between(last, result);
    // Followers keep the position of the last delta.
    if (delta === undefined) return;
    const content = delta.toJson();
    const sent = { base: last.cursor, content, length: JSON.stringify(content).length };
    const kept = newestWithin([...this.kept, sent]);
    this.parts.keep(result.bytes + lengthOf(kept));
    this.last = result;
    this.kept = kept;
    this.parts.publish(sent);
  }

  private failed(error: unknown): void {
    if (error instanceof MillraceError && isFinal(error)) return this.parts.refused(error);
    this.isStale = true;
    const retryMs = Math.min(MAX_RETRY_MS, MIN_PAUSE_MS * 2 ** this.failureCount++);
    this.nextMs = Math.max(this.nextMs, this.parts.clock.monotonicMs() + retryMs);
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), ms).unref();
  }
}

function isFinal({ id, status }: MillraceError): boolean {
  if (id === realtimeErrors.follows_full.id) return true;
  return status < FIRST_SERVER_FAULT && status !== TOO_MANY_REQUESTS && status !== CANCELLED;
}

function newestWithin(deltas: readonly SentDelta[]): SentDelta[] {
  const kept = deltas.slice(-KEPT_DELTAS);
  while (lengthOf(kept) > KEPT_LENGTH) kept.shift();
  return kept;
}

function lengthOf(deltas: readonly SentDelta[]): number {
  return deltas.reduce((sum, { length }) => sum + length, 0);
}
