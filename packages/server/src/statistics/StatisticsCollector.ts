import type { Clock, Hooks, JsonObject, Lifecycle } from '@millrace/kernel';

/** Counts by protocol name. */
type Counts = Readonly<Record<string, number>>;

/** One statistics frame (decisions.md section 9). */
export interface StatisticsFrame extends JsonObject {
  /** Since the last frame. */
  readonly completedRequests: Counts;
  readonly failedRequests: Counts;
  /** At the frame's end. */
  readonly ongoingRequests: Counts;
  readonly connections: Counts;
  /** UTC milliseconds as text: the end of a complete frame, the start of the one in progress. */
  readonly timestamp: string;
}

interface ProtocolCounts {
  completed: number;
  failed: number;
  ongoing: number;
  connections: number;
  // Since the server's start, for metrics.
  totalCompleted: number;
  totalFailed: number;
}

/** Options of the collector: see the `statistics` configuration keys. */
export interface StatisticsOptions {
  readonly intervalMs: number;
  readonly retentionMs: number;
}

/**
 * Counts requests and connections per protocol and cuts them into frames. A frame ends every `intervalMs`; frames older
 * than `retentionMs` are dropped.
 */
export class StatisticsCollector implements Lifecycle {
  private readonly protocols = new Map<string, ProtocolCounts>();
  private frames: StatisticsFrame[] = [];
  private startedAtMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly options: StatisticsOptions,
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
    hooks.add('connection.closed', 'statistics', ({ connection }) => {
      this.of(connection.protocol).connections--;
    });
  }

  async start(): Promise<void> {
    this.startedAtMs = this.clock.nowMs();
    // unref: a frame that is due must not hold a stopping process open.
    this.timer = setInterval(() => this.endFrame(), this.options.intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
  }

  /** The newest complete frame; before the first one, the frame in progress. */
  last(): StatisticsFrame {
    return this.frames.at(-1) ?? this.current();
  }

  /** Frames whose timestamp lies in the range, bounds included, oldest first. */
  between(startMs = -Infinity, stopMs = Infinity): readonly StatisticsFrame[] {
    this.dropOld();
    const frames = this.frames.length === 0 ? [this.current()] : this.frames;
    return frames.filter(({ timestamp }) => {
      const atMs = Number(timestamp);
      return atMs >= startMs && atMs <= stopMs;
    });
  }

  /** Totals since the start by protocol: requests answered well and badly, requests running, connections. */
  *totals(): Iterable<{ readonly protocol: string } & Readonly<ProtocolCounts>> {
    for (const [protocol, counts] of this.protocols) yield { protocol, ...counts };
  }

  private endFrame(): void {
    const nowMs = this.clock.nowMs();
    this.frames.push(this.frame(nowMs));
    for (const counts of this.protocols.values()) {
      counts.completed = 0;
      counts.failed = 0;
    }
    this.startedAtMs = nowMs;
    this.dropOld();
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
      timestamp: String(timestampMs),
    };
  }

  private dropOld(): void {
    const oldestMs = this.clock.nowMs() - this.options.retentionMs;
    const first = this.frames.findIndex(({ timestamp }) => Number(timestamp) >= oldestMs);
    if (first !== 0) this.frames = first < 0 ? [] : this.frames.slice(first);
  }

  private of(protocol: string): ProtocolCounts {
    let counts = this.protocols.get(protocol);
    if (counts === undefined) {
      counts = {
        completed: 0,
        failed: 0,
        ongoing: 0,
        connections: 0,
        totalCompleted: 0,
        totalFailed: 0,
      };
      this.protocols.set(protocol, counts);
    }
    return counts;
  }
}
