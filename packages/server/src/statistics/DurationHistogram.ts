import type { Histogram } from 'prom-client';

/*
 * A Prometheus histogram with one label, counted by hand: prom-client's own checks and joins the labels of every
 * observation, which is a microsecond of every request. The registry asks a metric for nothing but `name` and `get`.
 */

/** Upper bounds in seconds. */
const BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

interface Observations {
  /** By bound, each without those of the smaller ones; those beyond all bounds at the end. */
  readonly counts: number[];
  count: number;
  sumSeconds: number;
}

/** Durations of requests by protocol. */
export class DurationHistogram {
  private readonly byProtocol = new Map<string, Observations>();

  constructor(
    readonly name: string,
    private readonly help: string,
  ) {}

  observe(protocol: string, seconds: number): void {
    const observations = this.byProtocol.get(protocol) ?? this.open(protocol);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    observations.counts[bucket] = (observations.counts[bucket] ?? 0) + 1;
    observations.count++;
    observations.sumSeconds += seconds;
  }

  /** What the registry writes. */
  async get() {
    const { name, help } = this;
    const values = [...this.byProtocol].flatMap(([protocol, seen]) =>
      this.valuesOf(protocol, seen),
    );
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }

  /** For `Registry.registerMetric`, which declares that it takes the library's own metrics only. */
  asMetric(): Histogram {
    return this as unknown as Histogram;
  }

  private open(protocol: string): Observations {
    const counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
    const observations = { counts, count: 0, sumSeconds: 0 };
    this.byProtocol.set(protocol, observations);
    return observations;
  }

  private valuesOf(protocol: string, { counts, count, sumSeconds }: Observations) {
    let upToHere = 0;
    const buckets = [...BOUNDS, '+Inf'].map((le, bucket) => {
      upToHere += counts[bucket] ?? 0;
      return { metricName: `${this.name}_bucket`, labels: { le, protocol }, value: upToHere };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: { protocol }, value: sumSeconds },
      { metricName: `${this.name}_count`, labels: { protocol }, value: count },
    ];
  }
}
