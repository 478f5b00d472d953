import { isError } from '@millrace/client';
import { useEffect, useState } from 'preact/hooks';
import { Chart } from '../kit/Chart.jsx';
import { Failed, Loading } from '../kit/States.jsx';
import { durationBetween, perSecond, readMetrics, type Metrics } from './readMetrics.js';
import { toBytes } from './sizes.js';

const EVERY_MS = 5_000;
/** An hour. */
const MAX_SAMPLES = 720;

/** Latency, memory, processor and change log, measured while the screen is open. */
export function MetricCharts() {
  const [samples, setSamples] = useState<readonly Metrics[]>([]);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const abort = new AbortController();
    const measure = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const sample = await readMetrics(abort.signal);
        setSamples((last) => [...last, sample].slice(-MAX_SAMPLES));
        setError(undefined);
      } catch (failure) {
        if (!abort.signal.aborted) setError(failure);
      }
    };
    void measure();
    const timer = setInterval(() => void measure(), EVERY_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, []);
  if (samples.length === 0) {
    if (error === undefined) return <Loading />;
    return isError(error) && error.status === 403 ? (
      <p class="soft" data-state="no-right">
        Latency, memory and processor need the right <code>server.metrics</code>.
      </p>
    ) : (
      <Failed error={error} />
    );
  }
  const labels = samples.map(({ atMs }) => new Date(atMs).toLocaleTimeString());
  const gauge = (name: string) => samples.map(({ values }) => known(values.get(name)));
  const between = (of: (before: Metrics, after: Metrics) => number | undefined) =>
    samples.map((after, position) => {
      const before = samples[position - 1];
      return before === undefined ? undefined : of(before, after);
    });
  const logBytes = gauge('millrace_change_log_bytes');
  return (
    <>
      <Chart
        title="Latency"
        note="of requests on this node, the console's included"
        labels={labels}
        series={[
          { name: 'half of them', values: between((before, after) => durationBetween(before, after, 0.5)) },
          { name: '99 of 100', values: between((before, after) => durationBetween(before, after, 0.99)) },
        ]}
        format={(value) => `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ms`}
      />
      <Chart
        title="Requests at a time"
        labels={labels}
        series={[
          { name: 'running', values: gauge('millrace_requests_running') },
          { name: 'waiting', values: gauge('millrace_requests_waiting') },
        ]}
      />
      <Chart
        title="Memory"
        labels={labels}
        series={[
          { name: 'process', values: gauge('process_resident_memory_bytes') },
          { name: 'heap', values: gauge('nodejs_heap_size_used_bytes') },
        ]}
        format={toBytes}
      />
      <Chart
        title="Processor"
        note="100 %: one core"
        labels={labels}
        series={[
          {
            name: 'in use',
            values: between((before, after) => perSecond(before, after, 'process_cpu_seconds_total') * 100),
          },
        ]}
        format={(value) => `${Math.round(value)} %`}
      />
      {logBytes.some((value) => value !== undefined) && (
        <Chart title="Change log" labels={labels} series={[{ name: 'size', values: logBytes }]} format={toBytes} />
      )}
    </>
  );
}

function known(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}
