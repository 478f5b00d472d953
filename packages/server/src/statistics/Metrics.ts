import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  apiErrors,
  FOLLOW_MODES,
  RawContent,
  type ChangeLog,
  type ChangeLogSize,
  type Clock,
  type FollowStatistics,
  type Hooks,
  type MaybePromise,
  type RequestScheduler,
} from '@millrace/kernel';
import type { StatisticsCollector } from './StatisticsCollector.js';

/** Metrics of one server in Prometheus text format, computed when requested. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly durations: Histogram<'protocol'>;
  private readonly rateLimited: Counter<'protocol'>;

  constructor(
    private readonly clock: Clock,
    statistics: StatisticsCollector,
    scheduler: RequestScheduler,
    startedAtMs: number,
  ) {
    const registers = [this.registry];
    this.durations = new Histogram({
      name: 'millrace_request_duration_seconds',
      help: 'Time from the decoded request to its response',
      labelNames: ['protocol'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.rateLimited = new Counter({
      name: 'millrace_requests_rate_limited_total',
      help: 'Requests refused by a rate limit',
      labelNames: ['protocol'],
      registers,
    });
    const counter = new Counter({
      name: 'millrace_requests_total',
      help: 'Requests answered, by protocol and outcome',
      labelNames: ['protocol', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const { protocol, totalCompleted, totalFailed } of statistics.totals()) {
          this.inc({ protocol, outcome: 'completed' }, totalCompleted);
          this.inc({ protocol, outcome: 'failed' }, totalFailed);
        }
      },
    });
    void counter;
    const slowConsumers = new Counter({
      name: 'millrace_slow_consumers_total',
      help: 'Connections closed because too much waited for them',
      labelNames: ['protocol'],
      registers,
      collect() {
        this.reset();
        for (const { protocol, totalSlow } of statistics.totals())
          this.inc({ protocol }, totalSlow);
      },
    });
    void slowConsumers;
    this.gauge('millrace_requests_running', 'Requests running now', () => scheduler.runningCount);
    this.gauge(
      'millrace_requests_waiting',
      'Requests waiting for their turn',
      () => scheduler.waitingCount,
    );
    this.gauge('millrace_connections', 'Lasting connections open now', () =>
      [...statistics.totals()].reduce((sum, { connections }) => sum + connections, 0),
    );
    this.gauge(
      'millrace_uptime_seconds',
      'Seconds since the start',
      () => (clock.monotonicMs() - startedAtMs) / 1000,
    );
    this.gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
    this.gauge(
      'nodejs_heap_size_used_bytes',
      'JavaScript heap in use',
      () => process.memoryUsage().heapUsed,
    );
    this.gauge('process_cpu_seconds_total', 'User and system time', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }

  /** Reports the extent of the change log; not a number while it can't be read. */
  watchLog(log: ChangeLog | null): void {
    if (log?.size === undefined) return;
    const gauge = (name: string, help: string, read: (size: ChangeLogSize) => number) => {
      this.gauge(name, help, async () => {
        try {
          const size = await log.size?.();
          return size === undefined ? NaN : read(size);
        } catch {
          return NaN;
        }
      });
    };
    gauge('millrace_change_log_bytes', 'Bytes of the recorded changes', ({ bytes }) => bytes);
    gauge(
      'millrace_change_log_oldest_seconds',
      'Age of the oldest recorded change; 0: none is recorded',
      ({ oldestAtMs }) =>
        oldestAtMs === null ? 0 : Math.max(0, this.clock.nowMs() - oldestAtMs) / 1000,
    );
  }

  /** Reports the number of followed searches, and how often they run again (FOLLOW-9). */
  watchFollows(statistics: () => FollowStatistics): void {
    const registers = [this.registry];
    const labelNames = ['mode'] as const;
    const followed = new Gauge({
      name: 'millrace_followed_searches',
      help: 'Different searches that are followed now, by mode',
      labelNames,
      registers,
      collect() {
        for (const mode of FOLLOW_MODES) this.set({ mode }, statistics().followedCount(mode));
      },
    });
    const reruns = new Counter({
      name: 'millrace_followed_search_reruns_total',
      help: 'Followed searches that ran again, by mode',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const mode of FOLLOW_MODES) this.inc({ mode }, statistics().rerunCount(mode));
      },
    });
    void [followed, reruns];
  }

  /** Reports the age of the last good backup; not a number if there is none. */
  watchBackups(ageSeconds: () => number | undefined): void {
    this.gauge(
      'millrace_backup_age_seconds',
      'Age of the last good backup; not a number: there is none',
      () => ageSeconds() ?? NaN,
    );
  }

  /** Starts measuring durations and counting refusals. */
  observe(hooks: Hooks): void {
    hooks.add('request.ended', 'metrics', ({ request, response: { message } }) => {
      const { protocol } = request.connection;
      const seconds = (this.clock.monotonicMs() - request.receivedAtMs) / 1000;
      this.durations.observe({ protocol }, seconds);
      if (message.error?.id === apiErrors.too_many_requests.id) this.rateLimited.inc({ protocol });
    });
  }

  async read(): Promise<RawContent> {
    return new RawContent(this.registry.contentType, await this.registry.metrics());
  }

  private gauge(name: string, help: string, read: () => MaybePromise<number>): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
    void gauge;
  }
}
