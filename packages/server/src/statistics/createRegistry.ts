import { Registry, type Metric } from 'prom-client';
import type { MaybePromise } from '@millrace/kernel';

/** A value of a metric. */
export interface Sample {
  /** Absent: that of the metric. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric that is read when metrics are requested. */
export interface MetricSource {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  read(): MaybePromise<readonly Sample[]>;
}

/** A registry of prom-client that reads the sources. This file is imported for the first request for metrics. */
export function createRegistry(sources: readonly MetricSource[]): Registry {
  const registry = new Registry();
  for (const { type, name, help, read } of sources) {
    // The library's own metrics keep their values; a registry reads any object with `get`.
    const metric = { name, get: async () => ({ name, help, type, values: await read() }) };
    registry.registerMetric(metric as unknown as Metric);
  }
  return registry;
}
