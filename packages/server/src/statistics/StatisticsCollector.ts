import type { Clock, Hooks, Lifecycle } from '@millrace/kernel';
import type { FrameStore } from './FrameStore.js';
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

/** Where complete frames go and come from. */
export type FrameKeeper = Pick<FrameStore, 'keep' | 'between' | 'whenIdle'>;

/** Counts requests and connections per protocol and cuts them into frames. A frame ends every `intervalMs`. */
export class StatisticsCollector implements Lifecycle {
  private readonly protocols = new Map<string, ProtocolCounts>();
  private newest: StatisticsFrame | undefined;
  private startedAtMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly intervalMs: number,
    private readonly frames: FrameKeeper,
  ) {
    this.startedAtMs = clock.nowMs();
  }

  /** Begins to count. */
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

  async start(): Promise<void> {
    this.startedAtMs = this.clock.nowMs();
    // unref: a frame that is due must not hold a stopping process open.
    this.timer = setInterval(() => this.endFrame(), this.intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.frames.whenIdle();
  }

  /** The newest complete frame; before the first one, the frame in progress. @throws storage.unavailable (503) */
  async last(): Promise<StatisticsFrame> {
    if (this.newest !== undefined) return this.newest;
    return (await this.frames.between(-Infinity, Infinity)).at(-1) ?? this.current();
  }

  /**
   * Complete frames whose timestamp lies in the range, bounds included, oldest first; before the first one, the frame in
   * progress. @throws storage.unavailable (503)
   */
  async between(startMs = -Infinity, stopMs = Infinity): Promise<readonly StatisticsFrame[]> {
    const frames = await this.frames.between(startMs, stopMs);
    const mayBeFirst = frames.length === 0 && this.newest === undefined;
    if (!mayBeFirst || (await this.frames.between(-Infinity, Infinity)).length > 0) return frames;
    const current = this.current();
    const atMs = Number(current.timestamp);
    return atMs >= startMs && atMs <= stopMs ? [current] : [];
  }

  /** Totals since the start by protocol: requests answered well and badly, requests running, connections, slow consumers. */
  *totals(): Iterable<{ readonly protocol: string } & Readonly<ProtocolCounts>> {
    for (const [protocol, counts] of this.protocols) yield { protocol, ...counts };
  }

  private endFrame(): void {
    const nowMs = this.clock.nowMs();
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
    // Requests of the program itself stand in the metrics alone (decisions.md section 9 names four protocols).
    const entries = [...this.protocols].filter(([name]) => name !== 'program');
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

  private of(protocol: string): ProtocolCounts {
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
