import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { DurationHistogram } from './DurationHistogram.js';

const NAME = 'millrace_request_duration_seconds';
const HELP = 'Time of a request';
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

describe('DurationHistogram', () => {
  it('writes what the library’s own histogram writes of the same durations', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const durations = new DurationHistogram(NAME, HELP);
    ours.registerMetric(durations.asMetric());
    const peer = new Histogram({
      ...{ name: NAME, help: HELP, labelNames: ['protocol'], buckets: BOUNDS },
      registers: [theirs],
    });
    expect(await ours.metrics()).toBe(await theirs.metrics());
    for (const seconds of [0, 0.0004, 0.0005, 0.00051, 0.1, 3, 10, 10.5, 900]) {
      for (const protocol of ['http', 'we"ird']) {
        durations.observe(protocol, seconds);
        peer.observe({ protocol }, seconds);
      }
    }
    durations.observe('mqtt', 0.25);
    peer.observe({ protocol: 'mqtt' }, 0.25);
    expect(await ours.metrics()).toBe(await theirs.metrics());
    expect(await ours.metrics()).toContain(`${NAME}_bucket{le="+Inf",protocol="http"} 9`);
  });
});
