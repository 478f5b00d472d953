import type { Clock, Hooks, Lifecycle } from '@millrace/kernel';
import { isOfProgram } from '../ProgramSubscriptions.js';
import type { FrameStore } from './FrameStore.js';
import { mergeFrames } from './mergeFrames.js';
import type { Counts, StatisticsFrame } from './StatisticsFrame.js';

interface ProtocolCounts {
  completed: number;
  failed: number;
  ongoing: number;
  connections: number;
  slow: number;
  // Since the server's start, for metrics.
  totalCompleted: number;
  totalFailed: number;
  totalSlow: number;
}

/** The `statistics` configuration keys. */
export interface StatisticsOptions {
  readonly intervalMs: number;
  readonly retentionMs: number;
}

/** Other nodes have stored their part of a frame within this time after the frame ends. */
const STORED_WITHIN_MS = 1_000;

/** Stores complete frames and reads them back. */
export type FrameKeeper = Pick<FrameStore, 'keep' | 'between' | 'whenIdle'>;

/** Counts requests and connections per protocol and cuts them into frames. A frame ends every `intervalMs`. */
export class StatisticsCollector implements Lifecycle {
  private readonly protocols = new Map<string, ProtocolCounts>();
  /** Protocols whose connections are answers of HTTP. */
  private readonly overHttp = new Set<string>();
  private newest: StatisticsFrame | undefined;
  private startedAtMs: number;
  private timer: NodeJS.Timeout | undefined;
  private isShared = false;

  constructor(
    private readonly clock: Clock,
    private readonly intervalMs: number,
    private readonly frames: FrameKeeper,
  ) {
    this.startedAtMs = clock.nowMs();
  }

  /** Starts counting. */
  observe(hooks: Hooks): void {
    hooks.add('request.started', 'statistics', ({ request }) => {
      this.of(request.connection.protocol).ongoing++;
    });
    hooks.add('request.ended', 'statistics', ({ request, response }) => {
      const counts = this.of(request.connection.protocol);
      counts.ongoing--;
      if (response.message.status >= 400) {
        counts.failed++;
        counts.totalFailed++;
      } else {
        counts.completed++;
        counts.totalCompleted++;
      }
    });
    hooks.add('connection.opened', 'statistics', ({ connection }) => {
      this.of(connection.protocol).connections++;
    });
    hooks.add('connection.closed', 'statistics', ({ connection, cause }) => {
      const counts = this.of(connection.protocol);
      counts.connections--;
      if (cause !== 'slow') return;
      counts.slow++;
      counts.totalSlow++;
    });
  }

  /** Counts the requests and connections of a protocol as those of HTTP, whose port it uses. */
  countAsHttp(protocol: string): void {
    this.overHttp.add(protocol);
  }

  /** Makes frames cluster-wide: all nodes end them at the same times, and the counts are added up. */
  share(): void {
    this.isShared = true;
  }

  async start(): Promise<void> {
    this.startedAtMs = this.clock.nowMs();
    if (this.isShared) return this.waitForNextMoment();
    // unref: a pending frame must not keep a stopping process alive.
    this.timer = setInterval(() => this.endFrame(this.clock.nowMs()), this.intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.frames.whenIdle();
  }

  /** The newest complete frame; before the first one, the frame in progress. @throws storage.unavailable (503) */
  async last(): Promise<StatisticsFrame> {
    if (this.isShared) return (await this.sharedFrames(-Infinity, this.sharedUntilMs())).at(-1) ?? this.current();
    if (this.newest !== undefined) return this.newest;
    return (await this.frames.between(-Infinity, Infinity)).at(-1) ?? this.current();
  }

  /**
   * Complete frames whose timestamp lies in the range, bounds included, oldest first; before the first one, the frame in
   * progress. @throws storage.unavailable (503)
   */
  async between(startMs = -Infinity, stopMs = Infinity): Promise<readonly StatisticsFrame[]> {
    const frames = this.isShared
      ? await this.sharedFrames(startMs, stopMs)
      : await this.frames.between(startMs, stopMs);
    const mayBeFirst = frames.length === 0 && this.newest === undefined;
    if (!mayBeFirst || (await this.frames.between(-Infinity, Infinity)).length > 0) return frames;
    const current = this.current();
    const atMs = Number(current.timestamp);
    return atMs >= startMs && atMs <= stopMs ? [current] : [];
  }

  /**
   * Totals since the start by protocol: succeeded and failed requests, requests in progress, connections, slow
   * consumers.
   */
  *totals(): Iterable<{ readonly protocol: string } & Readonly<ProtocolCounts>> {
    for (const [protocol, counts] of this.protocols) yield { protocol, ...counts };
  }

  private async sharedFrames(startMs: number, stopMs: number) {
    return mergeFrames(await this.frames.between(startMs, stopMs));
  }

  /** By this time every node has stored its part. */
  private sharedUntilMs(): number {
    return this.clock.nowMs() - STORED_WITHIN_MS;
  }

  /** Multiples of the interval are the same times on all nodes. */
  private waitForNextMoment(): void {
    const { intervalMs } = this;
    const nowMs = this.clock.nowMs();
    const dueMs = Math.floor(nowMs / intervalMs + 1) * intervalMs;
    // A timer may fire a little early.
    this.timer = setTimeout(() => {
      if (this.clock.nowMs() >= dueMs) this.endFrame(dueMs);
      this.waitForNextMoment();
    }, dueMs - nowMs).unref();
  }

  private endFrame(nowMs: number): void {
    this.newest = this.frame(nowMs);
    this.frames.keep(this.newest);
    for (const counts of this.protocols.values()) {
      counts.completed = 0;
      counts.failed = 0;
      counts.slow = 0;
    }
    this.startedAtMs = nowMs;
  }

  private current(): StatisticsFrame {
    return this.frame(this.startedAtMs);
  }

  private frame(timestampMs: number): StatisticsFrame {
    // Requests of the program itself only count in the metrics (DOC-60).
    const entries = [...this.protocols].filter(([name]) => !isOfProgram(name));
    const pick = (key: keyof ProtocolCounts): Counts =>
      Object.fromEntries(entries.map(([name, counts]) => [name, counts[key]]));
    return {
      completedRequests: pick('completed'),
      failedRequests: pick('failed'),
      ongoingRequests: pick('ongoing'),
      connections: pick('connections'),
      slowConsumers: pick('slow'),
      timestamp: String(timestampMs),
    };
  }

  private of(name: string): ProtocolCounts {
    const protocol = this.overHttp.has(name) ? 'http' : name;
    let counts = this.protocols.get(protocol);
    if (counts === undefined) {
      counts = {
        completed: 0,
        failed: 0,
        ongoing: 0,
        connections: 0,
        slow: 0,
        totalCompleted: 0,
        totalFailed: 0,
        totalSlow: 0,
      };
      this.protocols.set(protocol, counts);
    }
    return counts;
  }
}
