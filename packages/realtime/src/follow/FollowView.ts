/*
 * A followed search: its last result, kept up to date from each change where that is possible (`KeptResult`), else by
 * the search again. All followers of a search with the same rights share one view, so that a change is found and
 * encoded once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MillraceError, realtimeErrors, type Clock, type Cursor } from '@millrace/kernel';
import type { RoomEffect, WatchedChange } from '../matching/WatchedChange.js';
import type { FollowedResult } from './FollowedResult.js';
import type { KeptResult } from './KeptResult.js';
import { SentDeltas } from './SentDeltas.js';
import { windowDelta, type WindowDelta } from './windowDelta.js';

/** Shortest time between the starts of two searches. */
const MIN_PAUSE_MS = 250;
/** A search that takes long runs for at most this part of the time. */
const BUSY_SHARE = 10;
const MAX_RETRY_MS = 30_000;
/** A search that names the current time has another result without a change. */
const EVERY_MINUTE_MS = 60_000;
/** Changes during a search, and the memory of their documents, beyond which it runs again. */
const MAX_MEANWHILE = 1_000;
const MAX_MEANWHILE_BYTES = 4 * 2 ** 20;
/** Changes of a view whose last delta took longer wait for their turn: one with 10,000 buckets takes some 10 ms. */
const LONG_DELTA_MS = 2;
/** Refusals that stay: the right was taken away, the index is gone, the mapping no longer fits the search. */
const FIRST_SERVER_FAULT = 500;
const TOO_MANY_REQUESTS = 429;
const CANCELLED = 499;

interface Observed {
  readonly change: WatchedChange;
  readonly effect: RoomEffect;
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
  /** Counts a search for a later result. */
  readonly runsAgain: () => void;
  /** False if the current turn of the event loop has been used up: the next change is applied in its turn. */
  readonly hasTime: () => boolean;
  /** Runs a search for a later result, or applies changes, when others have ended. */
  readonly inTurn: (run: () => Promise<void>) => Promise<void>;
  readonly publish: (delta: WindowDelta) => void;
  /** Counts the memory of the view. @throws MillraceError if the server has no more for followed searches */
  readonly keep: (bytes: number) => void;
  /** The search is refused from now on: its followers must end. */
  readonly refused: (error: MillraceError) => void;
}

/** The shared state of the followers of one search. */
export class FollowView {
  private last: FollowedResult | undefined;
  private readonly sent = new SentDeltas();
  private running: Promise<void> | undefined;
  private isStale = false;
  private isSearching = false;
  /** Keeps the result up to date; undefined: the search must run again after a change. */
  private live: KeptResult | undefined;
  /** Changes since the search has begun that runs now, or that wait for their turn. */
  private meanwhile: Observed[] = [];
  private meanwhileBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private nextMs = -Infinity;
  private nextDeltaMs = -Infinity;
  private failureCount = 0;
  private isLong = false;
  private isUpdateWaiting = false;
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
  after(cursor: Cursor): readonly WindowDelta[] | undefined {
    if (this.last?.cursor === cursor) return [];
    return this.sent.after(cursor);
  }

  /** A document that can concern the result has changed. @param change absent: nothing is known of the change */
  changed(change?: WatchedChange, effect?: RoomEffect): void {
    if (this.isClosed) return;
    const observed = change && effect && { change, effect };
    if (this.running !== undefined) this.note(observed);
    else if (observed === undefined || this.live === undefined) this.searchSoon();
    else if (this.isLong || this.meanwhile.length > 0 || !this.parts.hasTime()) this.applyInTurn(observed);
    else if (this.live.apply(observed.change, observed.effect)) this.deltaSoon();
    else this.searchSoon();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private note(observed: Observed | undefined): void {
    // A search that waits for its turn will see the change.
    if (!this.isSearching) return;
    // It will run again.
    if (this.isStale) return;
    if (observed === undefined || !this.keepsMeanwhile(observed)) {
      this.isStale = true;
      this.forgetMeanwhile();
    }
  }

  /** @returns false if the view may not keep that much */
  private keepsMeanwhile(observed: Observed): boolean {
    const bytes = this.meanwhileBytes + observed.change.bytes;
    if (this.meanwhile.length >= MAX_MEANWHILE || bytes > MAX_MEANWHILE_BYTES) return false;
    this.meanwhileBytes = bytes;
    if (!this.counts()) return false;
    this.meanwhile.push(observed);
    return true;
  }

  private applyInTurn(observed: Observed): void {
    if (this.keepsMeanwhile(observed)) this.updateInTurn();
    else this.searchSoon();
  }

  private forgetMeanwhile(): void {
    this.meanwhile = [];
    this.meanwhileBytes = 0;
    this.counts();
  }

  /** Counts the memory in use. @returns false if the server has no more for followed searches */
  private counts(): boolean {
    const ownBytes = this.last === undefined ? 0 : this.last.bytes + this.sent.bytes;
    try {
      this.parts.keep(ownBytes + this.meanwhileBytes);
      return true;
    } catch {
      return false;
    }
  }

  private async load(): Promise<void> {
    try {
      const result = this.keptUp(await this.search());
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
    this.running = this.parts.inTurn(() => {
      this.parts.runsAgain();
      return this.run();
    });
  }

  private async run(): Promise<void> {
    if (this.isClosed) return;
    try {
      const result = this.keptUp(await this.search());
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
    this.isStale = false;
    this.isSearching = true;
    this.live = undefined;
    this.forgetMeanwhile();
    let pauseMs = MIN_PAUSE_MS;
    try {
      const result = await search();
      if (result.kept !== undefined) pauseMs = 0;
      return result;
    } finally {
      // The first one may have waited for the index.
      const tookMs = this.last === undefined ? 0 : clock.monotonicMs() - startMs;
      this.nextMs = startMs + Math.max(pauseMs, maxRateMs, tookMs * BUSY_SHARE);
    }
  }

  /** Applies the changes since the search has begun. Call it before anything else can change. */
  private keptUp(result: FollowedResult): FollowedResult {
    const { kept } = result;
    const { meanwhile } = this;
    this.forgetMeanwhile();
    this.isSearching = false;
    if (kept === undefined) {
      this.isStale ||= meanwhile.length > 0;
      return result;
    }
    this.isStale ||= !meanwhile.every(({ change, effect }) => kept.apply(change, effect));
    if (this.isStale) return result;
    this.live = kept;
    return kept.toResult();
  }

  /** Changes during the search, and the passing of time. */
  private goOn(): void {
    if (this.isClosed) return;
    if (this.isStale) this.searchSoon();
    else if (this.parts.isTimed) this.wait(EVERY_MINUTE_MS);
  }

  private searchSoon(): void {
    const waitsAlready = this.isStale && this.timer !== undefined;
    if (waitsAlready) return;
    this.isStale = true;
    this.live = undefined;
    // Changes that wait for their turn: the search will see them.
    this.forgetMeanwhile();
    if (this.last === undefined) return;
    const waitMs = this.nextMs - this.parts.clock.monotonicMs();
    if (waitMs <= 0) this.refresh();
    else this.wait(waitMs);
  }

  private deltaSoon(): void {
    const { clock, maxRateMs } = this.parts;
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.nextDeltaMs) {
      this.nextDeltaMs = nowMs + maxRateMs;
      this.sendDelta();
    } else if (this.timer === undefined) this.wait(this.nextDeltaMs - nowMs);
  }

  private sendDelta(): void {
    if (this.isClosed || this.live === undefined) return;
    const { clock } = this.parts;
    const startMs = clock.monotonicMs();
    try {
      this.take(this.live.toResult());
    } catch (error) {
      this.failed(error);
    }
    this.isLong = clock.monotonicMs() - startMs > LONG_DELTA_MS;
  }

  /** Applies the changes that wait, and sends the delta of all. */
  private updateInTurn(): void {
    if (this.isUpdateWaiting) return;
    this.isUpdateWaiting = true;
    void this.parts.inTurn(async () => {
      // Several clients may have a turn at once.
      await nextTurn();
      this.isUpdateWaiting = false;
      const { live } = this;
      if (this.isClosed || live === undefined) return;
      const { meanwhile } = this;
      this.forgetMeanwhile();
      if (meanwhile.every(({ change, effect }) => live.apply(change, effect))) this.deltaSoon();
      else this.searchSoon();
    });
  }

  private take(result: FollowedResult): void {
    const { last } = this;
    if (last === undefined) return;
    const delta = windowDelta(last, result);
    if (delta !== undefined) this.sent.add(delta);
    // What isn't shown may have grown.
    this.parts.keep(result.bytes + this.sent.bytes + this.meanwhileBytes);
    // Without a delta, followers keep the position of the last one.
    if (delta === undefined) return;
    this.last = result;
    this.parts.publish(delta);
  }

  private failed(error: unknown): void {
    if (error instanceof MillraceError && isFinal(error)) return this.parts.refused(error);
    this.isStale = true;
    const retryMs = Math.min(MAX_RETRY_MS, MIN_PAUSE_MS * 2 ** this.failureCount++);
    this.nextMs = Math.max(this.nextMs, this.parts.clock.monotonicMs() + retryMs);
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.due(), ms).unref();
  }

  private due(): void {
    this.timer = undefined;
    if (this.live === undefined) this.refresh();
    else if (this.isLong) this.updateInTurn();
    else this.deltaSoon();
  }
}

function isFinal({ id, status }: MillraceError): boolean {
  if (id === realtimeErrors.follows_full.id) return true;
  return status < FIRST_SERVER_FAULT && status !== TOO_MANY_REQUESTS && status !== CANCELLED;
}
