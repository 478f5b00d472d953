import { run } from '../connection.js';

/** The metrics of one server at one moment. */
export interface Metrics {
  readonly atMs: number;
  /** By name; the values of all labels are added up. */
  readonly values: ReadonlyMap<string, number>;
  /** How many requests took at most so many seconds, ascending. */
  readonly durations: readonly (readonly [seconds: number, count: number])[];
}

const BUCKET = 'millrace_request_duration_seconds_bucket';

/** Reads what the server offers Prometheus. */
export async function readMetrics(signal: AbortSignal): Promise<Metrics> {
  const text = await run<string>('server.metrics', {}, { signal });
  const values = new Map<string, number>();
  const durations = new Map<number, number>();
  for (const [, name = '', labels = '', value = ''] of text.matchAll(/^([a-z_]+)(?:\{([^}\n]*)\})? (\S+)$/gm)) {
    const number = Number(value);
    const bound = name === BUCKET ? /le="([^"]+)"/.exec(labels)?.[1] : undefined;
    if (bound === undefined) values.set(name, (values.get(name) ?? 0) + number);
    else {
      const seconds = bound === '+Inf' ? Infinity : Number(bound);
      durations.set(seconds, (durations.get(seconds) ?? 0) + number);
    }
  }
  return { atMs: Date.now(), values, durations: [...durations].sort(([a], [b]) => a - b) };
}

/**
 * How long a share of the requests between two moments took at most, in milliseconds; undefined without requests. Within a
 * bucket of the histogram the durations are taken to be spread evenly.
 * @param share such as 0.99
 */
export function durationBetween(before: Metrics, after: Metrics, share: number): number | undefined {
  const earlier = new Map(before.durations);
  const counts = after.durations.map(([seconds, count]) => [seconds, count - (earlier.get(seconds) ?? 0)] as const);
  const total = counts.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  const wanted = total * share;
  const at = counts.findIndex(([, count]) => count >= wanted);
  const [upper, count] = counts[at] ?? [0, 0];
  const [lower, fewer] = at > 0 ? (counts[at - 1] ?? [0, 0]) : [0, 0];
  // Longer than the last bound: how much longer isn't known.
  if (upper === Infinity) return lower * 1_000;
  return (lower + ((upper - lower) * (wanted - fewer)) / Math.max(1, count - fewer)) * 1_000;
}

/** How much a counter grows in a second. */
export function perSecond(before: Metrics, after: Metrics, name: string): number {
  const grown = (after.values.get(name) ?? 0) - (before.values.get(name) ?? 0);
  return Math.max(0, grown) / Math.max(0.001, (after.atMs - before.atMs) / 1_000);
}
