import {
  MillraceError,
  Queue,
  RecordStore,
  written,
  type Clock,
  type JsonObject,
  type Logger,
  type RecordKind,
  type RecordPlace,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import type { StatisticsFrame } from './StatisticsFrame.js';

const KIND: RecordKind<StatisticsFrame> = {
  collection: 'statistics',
  // The counts are keyed by protocol names: stored, but not indexed.
  mapping: parseMapping({ dynamic: false, properties: { timestamp: { type: 'long' } } }),
  // The source has a known shape: see `toSource`.
  parse: ({ source }) => source.frame as StatisticsFrame,
  toSource: (frame) => ({ timestamp: Number(frame.timestamp), frame }),
};
// Frames queued while the store is unavailable: an hour's worth at the default interval, as long as frames are kept.
const MAX_WAITING = 360;
const PRUNE_INTERVAL_MS = 60_000;

/**
 * Stores complete statistics frames in the internal store (DOC-61), so that they survive a restart and servers
 * sharing a store see each other's. A frame that can't be written is queued and written with the next one.
 */
export class FrameStore {
  private readonly records: RecordStore<StatisticsFrame>;
  private readonly waiting = new Queue<StatisticsFrame>();
  private writing: Promise<void> = Promise.resolve();
  private prunedAtMs = -Infinity;

  constructor(
    place: RecordPlace,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly retentionMs: number,
    /** Distinguishes this server's frames from those of others that end in the same millisecond. */
    private readonly nodeId: string,
  ) {
    this.records = new RecordStore(place, KIND);
  }

  /** Never rejects. Calls write their frames one after another. */
  keep(frame: StatisticsFrame): void {
    this.waiting.push(frame);
    if (this.waiting.size > MAX_WAITING) this.waiting.take();
    this.writing = this.writing.then(() => this.writeWaiting());
  }

  /** Resolves when no write is in progress. */
  whenIdle(): Promise<void> {
    return this.writing;
  }

  /** Frames whose timestamp lies in the range, bounds included, oldest first. @throws storage.unavailable (503) */
  async between(startMs: number, stopMs: number): Promise<readonly StatisticsFrame[]> {
    const oldestMs = this.clock.nowMs() - this.retentionMs;
    const fromMs = Math.max(startMs, oldestMs);
    const stored = await this.read(fromMs, stopMs);
    const waiting = [...this.waiting].filter((frame) => isWithin(frame, fromMs, stopMs));
    return [...stored, ...waiting].sort((a, b) => Number(a.timestamp) - Number(b.timestamp));
  }

  private async read(fromMs: number, stopMs: number): Promise<readonly StatisticsFrame[]> {
    if (fromMs > stopMs) return [];
    const frames: StatisticsFrame[] = [];
    const bounds = { gte: fromMs, ...(Number.isFinite(stopMs) && { lte: stopMs }) };
    for await (const frame of this.records.scan(rangeOf(bounds))) frames.push(frame);
    return frames;
  }

  private async writeWaiting(): Promise<void> {
    const { log, nodeId } = this;
    const frames = [...this.waiting];
    if (frames.length === 0) return;
    try {
      const puts = frames.map((frame) => this.records.putOperation(`${frame.timestamp}-${nodeId}`, frame, 'any'));
      for (const outcome of await this.records.write(puts)) written(outcome);
      for (const frame of frames) this.waiting.delete(frame);
      await this.prune();
    } catch (error) {
      const isExpected = error instanceof MillraceError && error.status === 503;
      const reason = isExpected ? { reason: error.message } : { err: error };
      log.warn(reason, 'statistics frames could not be stored; they are tried again');
    }
  }

  /** Removes expired frames, only occasionally, because reads exclude them anyway. */
  private async prune(): Promise<void> {
    const { clock, retentionMs } = this;
    if (clock.monotonicMs() - this.prunedAtMs < PRUNE_INTERVAL_MS) return;
    this.prunedAtMs = clock.monotonicMs();
    await this.records.sweep(rangeOf({ lt: clock.nowMs() - retentionMs }));
  }
}

function rangeOf(bounds: JsonObject) {
  return parseCount({ query: { range: { timestamp: bounds } } });
}

function isWithin({ timestamp }: StatisticsFrame, fromMs: number, stopMs: number): boolean {
  const atMs = Number(timestamp);
  return atMs >= fromMs && atMs <= stopMs;
}
