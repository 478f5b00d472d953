import { useState } from 'preact/hooks';

/** A line of a chart; undefined where there is no value. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

const WIDTH = 600;
const HEIGHT = 100;
const MAX_BAR = 60;
/** Up to so many bars, each is named below the chart. */
const MAX_NAMED = 8;
/** Of the table, the newest ones. */
const MAX_ROWS = 60;

/** Values over time, or of some groups, as lines or bars; and as a table. */
export function Chart({
  title,
  note,
  labels,
  series,
  kind = 'lines',
  format = (value) => value.toLocaleString(undefined, { maximumFractionDigits: 2 }),
}: {
  readonly title: string;
  readonly note?: string;
  /** Of the values: times, or names of groups. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly kind?: 'lines' | 'bars';
  readonly format?: (value: number) => string;
}) {
  const [isTable, setTable] = useState(false);
  const most = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const summary = series
    .map(
      ({ name, values }) =>
        `${name} ${formatOr(
          format,
          values.findLast((value) => value !== undefined),
        )}`,
    )
    .join(', ');
  return (
    <section class="card stack chart" aria-label={title}>
      <header class="row">
        <h2 class="grow">
          {title} {note !== undefined && <span class="soft small">{note}</span>}
        </h2>
        <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </header>
      {isTable ? (
        <Table labels={labels} series={series} format={format} />
      ) : (
        <figure>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}: the last values are ${summary}; at most ${format(most)}`}
          >
            {series.map(({ name, values }, position) =>
              kind === 'lines' ? (
                <path key={name} class={`line series-${position}`} d={toPath(values, most)} />
              ) : (
                <Bars key={name} labels={labels} values={values} most={most} format={format} />
              ),
            )}
          </svg>
          <figcaption class="row small">
            {kind === 'lines' &&
              series.map(({ name, values }, position) => (
                <span key={name} class={`key series-${position}`}>
                  <bdi>{name}</bdi>{' '}
                  <strong>
                    {formatOr(
                      format,
                      values.findLast((value) => value !== undefined),
                    )}
                  </strong>
                </span>
              ))}
            {kind === 'bars' &&
              labels.length <= MAX_NAMED &&
              labels.map((label, position) => (
                <span key={position}>
                  <bdi>{label}</bdi> <strong>{formatOr(format, series[0]?.values[position])}</strong>
                </span>
              ))}
            <span class="grow" />
            <span class="soft">
              <bdi>{labels[0]}</bdi> – <bdi>{labels.at(-1)}</bdi>, at most {format(most)}
            </span>
          </figcaption>
        </figure>
      )}
    </section>
  );
}

function formatOr(format: (value: number) => string, value: number | undefined): string {
  return value === undefined ? '–' : format(value);
}

/** The newest value is at the right; where there is none, the line is interrupted. */
function toPath(values: readonly (number | undefined)[], most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  let command = 'M';
  return values
    .map((value, position) => {
      if (value === undefined) {
        command = 'M';
        return '';
      }
      const y = HEIGHT - 2 - (value / Math.max(most, Number.MIN_VALUE)) * (HEIGHT - 6);
      const point = `${command}${(position * step).toFixed(1)},${y.toFixed(1)}`;
      command = 'L';
      // A single point is a short line.
      return values.length === 1 ? `${point}h4` : point;
    })
    .join('');
}

function Bars({
  labels,
  values,
  most,
  format,
}: {
  readonly labels: readonly string[];
  readonly values: readonly (number | undefined)[];
  readonly most: number;
  readonly format: (value: number) => string;
}) {
  const width = Math.min(MAX_BAR, WIDTH / Math.max(1, values.length));
  return (
    <g>
      {values.map((value = 0, position) => {
        const height = (Math.max(0, value) / Math.max(most, Number.MIN_VALUE)) * (HEIGHT - 4);
        return (
          <rect
            key={position}
            class="completed"
            x={position * width + width * 0.1}
            y={HEIGHT - height}
            width={width * 0.8}
            height={height}
          >
            <title>{`${labels[position] ?? ''}: ${format(value)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}

function Table({
  labels,
  series,
  format,
}: {
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}) {
  const rows = labels.map((label, position) => ({ label, position })).slice(-MAX_ROWS);
  return (
    <div class="grid plain low" tabIndex={0} role="region" aria-label="Values of the chart">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Of</span>
            </th>
            {series.map(({ name }) => (
              <th scope="col" class="number" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, position }) => (
            <tr key={position}>
              <th scope="row">
                <bdi>{label}</bdi>
              </th>
              {series.map(({ name, values }) => (
                <td class="number" data-label={name} key={name}>
                  {formatOr(format, values[position])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
