import { Chart } from '../kit/Chart.jsx';
import { toText } from '../kit/JsonField.jsx';
import { isFields } from './columns.js';

const MAX_BARS = 200;

/** The results of a query's aggregations: buckets as charts, and everything as JSON. */
export function Aggregations({ results, isOpen }: { readonly results: unknown; readonly isOpen: boolean }) {
  const charts = Object.entries(isFields(results) ? results : {}).flatMap(([name, result]) => {
    const bars = barsOf(isFields(result) ? result['buckets'] : undefined);
    return bars.length === 0 ? [] : [{ name, bars }];
  });
  return (
    <details class="aggregations" open={isOpen}>
      <summary>Aggregations</summary>
      {charts.map(({ name, bars }) => (
        <Chart
          key={name}
          title={name}
          note="documents"
          kind="bars"
          labels={bars.map(({ label }) => label)}
          series={[{ name: 'documents', values: bars.map(({ count }) => count) }]}
        />
      ))}
      <pre class="code answer" tabIndex={0} aria-label="Aggregations as JSON">
        {toText(results)}
      </pre>
    </details>
  );
}

/** The buckets of an aggregation, as a list or by their names. */
function barsOf(buckets: unknown): readonly { readonly label: string; readonly count: number }[] {
  const list: readonly (readonly [string, unknown])[] = Array.isArray(buckets)
    ? (buckets as readonly unknown[]).map((bucket) => ['', bucket] as const)
    : Object.entries(isFields(buckets) ? buckets : {});
  return list.slice(0, MAX_BARS).flatMap(([name, bucket]) => {
    if (!isFields(bucket) || typeof bucket['doc_count'] !== 'number') return [];
    const { key = name, key_as_string: text, doc_count: count } = bucket;
    return [{ label: typeof text === 'string' ? text : typeof key === 'string' ? key : JSON.stringify(key), count }];
  });
}
