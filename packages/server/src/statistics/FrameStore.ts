import {
  MillraceError,
  Queue,
  type Clock,
  type CollectionName,
  type JsonObject,
  type Logger,
  type StorageEngine,
  type WriteOperation,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import type { StatisticsFrame } from './StatisticsFrame.js';

const COLLECTION = 'statistics';
// Frames queued while the store is unavailable: an hour's worth at the default interval, as long as frames are kept.
const MAX_WAITING = 360;
const PRUNE_INTERVAL_MS = 60_000;

/** Dependencies of a frame store. */
export interface FrameStoreParts {
  readonly engine: StorageEngine;
  readonly internalIndex: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionMs: number;
  /** Distinguishes this server's frames from those of others that end in the same millisecond. */
  readonly nodeId: string;
}

/**
 * Stores complete statistics frames in the internal store (DOC-61), so that they survive a restart and servers
 * sharing a store see each other's. A frame that can't be written is queued and written with the next one.
 */
export class FrameStore {
  private readonly name: CollectionName;
  private readonly waiting = new Queue<StatisticsFrame>();
  private writing: Promise<void> = Promise.resolve();
  private prunedAtMs = -Infinity;

  constructor(private readonly parts: FrameStoreParts) {
    this.name = { index: parts.internalIndex, collection: COLLECTION };
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
    const oldestMs = this.parts.clock.nowMs() - this.parts.retentionMs;
    const fromMs = Math.max(startMs, oldestMs);
    const stored = await this.read(fromMs, stopMs);
    const waiting = [...this.waiting].filter((frame) => isWithin(frame, fromMs, stopMs));
    return [...stored, ...waiting].sort((a, b) => Number(a.timestamp) - Number(b.timestamp));
  }

  private async read(fromMs: number, stopMs: number): Promise<readonly StatisticsFrame[]> {
    const { engine } = this.parts;
    if (fromMs > stopMs || !(await engine.hasCollection(this.name))) return [];
    const frames: StatisticsFrame[] = [];
    const bounds = { gte: fromMs, ...(Number.isFinite(stopMs) && { lte: stopMs }) };
    for await (const batch of engine.scan(this.name, rangeOf(bounds))) {
      const documents = await engine.readMany(
        this.name,
        batch.map(({ id }) => id),
      );
      // The source has a known shape: see `operationOf`.
      for (const document of documents) {
        if (document !== null) frames.push(document.source.frame as StatisticsFrame);
      }
    }
    return frames;
  }

  private async writeWaiting(): Promise<void> {
    const { engine, log } = this.parts;
    const frames = [...this.waiting];
    if (frames.length === 0) return;
    try {
      if (!(await engine.hasCollection(this.name))) {
        await engine.createCollection(this.name, MAPPING);
      }
      const outcomes = await engine.write(
        frames.map((frame) => this.operationOf(frame)),
        true,
      );
      for (const outcome of outcomes) if (outcome.status === 'failed') throw outcome.error;
      for (const frame of frames) this.waiting.delete(frame);
      await this.prune();
    } catch (error) {
      const isExpected = error instanceof MillraceError && error.status === 503;
      const reason = isExpected ? { reason: error.message } : { err: error };
      log.warn(reason, 'statistics frames could not be stored; they are tried again');
    }
  }

  private operationOf(frame: StatisticsFrame): WriteOperation {
    const { timestamp } = frame;
    const id = `${timestamp}-${this.parts.nodeId}`;
    const source: JsonObject = { timestamp: Number(timestamp), frame };
    return { ...this.name, kind: 'put', id, source, condition: 'any' };
  }

  /** Removes expired frames, only occasionally, because reads exclude them anyway. */
  private async prune(): Promise<void> {
    const { engine, clock, retentionMs } = this.parts;
    if (clock.monotonicMs() - this.prunedAtMs < PRUNE_INTERVAL_MS) return;
    this.prunedAtMs = clock.monotonicMs();
    const tooOld = rangeOf({ lt: clock.nowMs() - retentionMs });
    for await (const batch of engine.scan(this.name, tooOld)) {
      const operations = batch.map(({ id }): WriteOperation => {
        return { ...this.name, kind: 'delete', id, condition: 'present' };
      });
      await engine.write(operations, false);
    }
  }
}

// The counts are keyed by protocol names: stored, but not indexed.
const MAPPING = parseMapping({
  dynamic: false,
  properties: { timestamp: { type: 'long' } },
});

function rangeOf(bounds: JsonObject) {
  return parseCount({ query: { range: { timestamp: bounds } } });
}

function isWithin({ timestamp }: StatisticsFrame, fromMs: number, stopMs: number): boolean {
  const atMs = Number(timestamp);
  return atMs >= fromMs && atMs <= stopMs;
}
