import { run, type Fields } from '../connection.js';
import { Chart } from '../kit/Chart.jsx';
import { Facts } from '../kit/Facts.jsx';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { isCharted, isNumeric, type Column } from './columns.js';

const MAX_TERMS = 30;
/** Of a date field, the newest ones. */
const MAX_TIMES = 200;
const INTERVALS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

interface Bucket {
  readonly key: unknown;
  readonly key_as_string?: string;
  readonly doc_count: number;
}

interface Result {
  readonly buckets?: readonly Bucket[];
  readonly sum_other_doc_count?: number;
  readonly count?: number;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly avg?: number | null;
  readonly sum?: number;
}

/** What a field has in the documents that are found: its most frequent values, its dates, or its range. */
export function FieldChart({
  index,
  collection,
  query,
  columns,
  field,
  every,
  turn,
  onChange,
}: {
  readonly index: string;
  readonly collection: string;
  readonly query: unknown;
  readonly columns: readonly Column[];
  readonly field: string;
  /** Interval of a date field. */
  readonly every: string;
  /** Changes when the documents have changed. */
  readonly turn: unknown;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}) {
  const column = columns.find(({ name }) => name === field);
  const interval = INTERVALS.find((each) => each === every) ?? 'day';
  const result = useLoad(
    async (signal) => {
      if (column === undefined) return undefined;
      const aggs = { field: aggregationOf(column, interval) };
      const body = { size: 0, aggs, ...(query === undefined ? {} : { query }) };
      const found = await run<{ aggregations: { field: Result } }>(
        'document.search',
        { index, collection, body },
        { signal },
      );
      return found.aggregations.field;
    },
    [field, interval, JSON.stringify(query), turn],
  );
  return (
    <section class="field-chart stack" aria-label="Chart of a field">
      <div class="row">
        <label class="row">
          <span>Chart of</span>
          <select
            class="auto"
            value={field}
            onChange={(event) => onChange({ chart: event.currentTarget.value, every: undefined })}
          >
            {columns.filter(isCharted).map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {column?.type === 'date' && (
          <label class="row">
            <span>each</span>
            <select class="auto" value={interval} onChange={(event) => onChange({ every: event.currentTarget.value })}>
              {INTERVALS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        <span class="grow" />
        <button type="button" class="quiet" onClick={() => onChange({ chart: undefined, every: undefined })}>
          Close the chart
        </button>
      </div>
      <Show loaded={result} lines={3}>
        {(found) => <Drawn field={field} result={found} />}
      </Show>
    </section>
  );
}

function aggregationOf({ type, sortBy = '' }: Column, interval: string): Fields {
  if (isNumeric(type)) return { stats: { field: sortBy } };
  if (type === 'date') return { date_histogram: { field: sortBy, calendar_interval: interval } };
  return { terms: { field: sortBy, size: MAX_TERMS } };
}

function Drawn({ field, result }: { readonly field: string; readonly result: Result }) {
  const { buckets, sum_other_doc_count: others = 0 } = result;
  if (buckets === undefined) return <Range result={result} />;
  if (buckets.length === 0) return <Empty title="No document has a value" />;
  const shown = buckets.slice(-MAX_TIMES);
  return (
    <Chart
      title={field}
      note={others > 0 ? `the most frequent values; ${NUMBER.format(others)} documents have others` : 'documents'}
      kind="bars"
      labels={shown.map(({ key, key_as_string: text }) => text ?? String(key))}
      series={[{ name: 'documents', values: shown.map(({ doc_count: count }) => count) }]}
    />
  );
}

function Range({ result: { count = 0, min, max, avg, sum } }: { readonly result: Result }) {
  if (count === 0) return <Empty title="No document has a value" />;
  const shown = (value: number | null | undefined) =>
    value === undefined || value === null ? '–' : NUMBER.format(value);
  const facts = [
    ['Documents with a value', shown(count)],
    ['Smallest', shown(min)],
    ['Largest', shown(max)],
    ['Average', shown(avg)],
    ['Sum', shown(sum)],
  ] as const;
  return <Facts facts={facts} />;
}
