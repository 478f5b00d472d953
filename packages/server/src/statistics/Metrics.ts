import type { Registry } from 'prom-client';
import {
  apiErrors,
  FOLLOW_MODES,
  RawContent,
  type ChangeLog,
  type ChangeLogSize,
  type Clock,
  type FollowModeName,
  type FollowStatistics,
  type Hooks,
  type MaybePromise,
  type RequestScheduler,
} from '@millrace/kernel';
import type { MetricSource, Sample } from './createRegistry.js';
import type { StatisticsCollector } from './StatisticsCollector.js';

/** Upper bounds, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const DURATION = 'millrace_request_duration_seconds';

/** What is counted for the requests of one protocol. */
class RequestCounts {
  /** By bucket, the last one without an upper bound. */
  readonly durations = new Float64Array(BUCKETS.length + 1);
  sumSeconds = 0;
  rateLimited = 0;

  add(seconds: number): void {
    this.sumSeconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++;
    this.durations[bucket]! += 1;
  }
}

/**
 * Metrics of one server in Prometheus text format, computed when requested. prom-client, which writes the text, is
 * imported at the first request: until then requests are only counted.
 */
export class Metrics {
  private readonly sources: MetricSource[] = [];
  private readonly counts = new Map<string, RequestCounts>();
  private registry: Promise<Registry> | undefined;

  constructor(
    private readonly clock: Clock,
    statistics: StatisticsCollector,
    scheduler: RequestScheduler,
    startedAtMs: number,
  ) {
    this.sources.push({
      type: 'histogram',
      name: DURATION,
      help: 'Time from the decoded request to its response',
      read: () => [...this.counts].flatMap(([protocol, counts]) => bucketsOf(protocol, counts)),
    });
    this.counter('millrace_requests_rate_limited_total', 'Requests refused by a rate limit', () =>
      [...this.counts]
        .filter(([, { rateLimited }]) => rateLimited > 0)
        .map(([protocol, { rateLimited }]) => ({ labels: { protocol }, value: rateLimited })),
    );
    this.counter('millrace_requests_total', 'Requests answered, by protocol and outcome', () =>
      [...statistics.totals()].flatMap(({ protocol, totalCompleted, totalFailed }) => [
        { labels: { protocol, outcome: 'completed' }, value: totalCompleted },
        { labels: { protocol, outcome: 'failed' }, value: totalFailed },
      ]),
    );
    this.counter('millrace_slow_consumers_total', 'Connections closed because too much waited for them', () =>
      [...statistics.totals()].map(({ protocol, totalSlow }) => ({
        labels: { protocol },
        value: totalSlow,
      })),
    );
    this.gauge('millrace_requests_running', 'Requests running now', () => scheduler.runningCount);
    this.gauge('millrace_requests_waiting', 'Requests waiting for their turn', () => scheduler.waitingCount);
    this.gauge('millrace_connections', 'Lasting connections open now', () =>
      [...statistics.totals()].reduce((sum, { connections }) => sum + connections, 0),
    );
    this.gauge('millrace_uptime_seconds', 'Seconds since the start', () => (clock.monotonicMs() - startedAtMs) / 1000);
    this.gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
    this.gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use', () => process.memoryUsage().heapUsed);
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
      ({ oldestAtMs }) => (oldestAtMs === null ? 0 : Math.max(0, this.clock.nowMs() - oldestAtMs) / 1000),
    );
  }

  /** Reports the number of followed searches, and how often they run again (FOLLOW-9). */
  watchFollows(statistics: () => FollowStatistics): void {
    const byMode = (read: (mode: FollowModeName) => number) => () =>
      FOLLOW_MODES.map((mode) => ({ labels: { mode }, value: read(mode) }));
    this.sources.push({
      type: 'gauge',
      name: 'millrace_followed_searches',
      help: 'Different searches that are followed now, by mode',
      read: byMode((mode) => statistics().followedCount(mode)),
    });
    this.counter(
      'millrace_followed_search_reruns_total',
      'Followed searches that ran again, by mode',
      byMode((mode) => statistics().rerunCount(mode)),
    );
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
      let counts = this.counts.get(protocol);
      if (counts === undefined) this.counts.set(protocol, (counts = new RequestCounts()));
      counts.add((this.clock.monotonicMs() - request.receivedAtMs) / 1000);
      if (message.error?.id === apiErrors.too_many_requests.id) counts.rateLimited += 1;
    });
  }

  async read(): Promise<RawContent> {
    this.registry ??= import('./createRegistry.js').then(({ createRegistry }) => createRegistry(this.sources));
    const registry = await this.registry;
    return new RawContent(registry.contentType, await registry.metrics());
  }

  private counter(name: string, help: string, read: () => readonly Sample[]): void {
    this.sources.push({ type: 'counter', name, help, read });
  }

  private gauge(name: string, help: string, read: () => MaybePromise<number>): void {
    const readAll = async () => [{ labels: {}, value: await read() }];
    this.sources.push({ type: 'gauge', name, help, read: readAll });
  }
}

function bucketsOf(protocol: string, { durations, sumSeconds }: RequestCounts): readonly Sample[] {
  let count = 0;
  const buckets = [...durations].map((each, bucket) => {
    count += each;
    const le = BUCKETS[bucket] ?? '+Inf';
    return { metricName: `${DURATION}_bucket`, labels: { le, protocol }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${DURATION}_sum`, labels: { protocol }, value: sumSeconds },
    { metricName: `${DURATION}_count`, labels: { protocol }, value: count },
  ];
}
