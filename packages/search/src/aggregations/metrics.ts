import type { JsonValue } from '@millrace/language';
import { decimalKey } from '@millrace/query';
import { resultNumber, type AggregationResult, type Compute } from './AggregationRun.js';
import { gatherValues, numberSource, type NumberSource, type ValueText } from './valueSource.js';

/** Sum that compensates the error of each addition (Kahan). */
function sumOf(values: Float64Array, square: boolean): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number;
    const corrected = (square ? value * value : value) - lost;
    const next = sum + corrected;
    lost = next - sum - corrected;
    sum = next;
  }
  return sum;
}

function minOf(values: Float64Array): number {
  let min = Infinity;
  for (let i = 0; i < values.length; i += 1) if ((values[i] as number) < min) min = values[i] as number;
  return min;
}

function maxOf(values: Float64Array): number {
  let max = -Infinity;
  for (let i = 0; i < values.length; i += 1) if ((values[i] as number) > max) max = values[i] as number;
  return max;
}

function single(value: number | undefined, text: ValueText): AggregationResult {
  if (value === undefined || text === undefined) return { value: resultNumber(value) };
  return { value: resultNumber(value), value_as_string: text(value) };
}

/** Without values there is no minimum or maximum. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** `min`, `max`, `avg`, `sum`, `stats`. */
export const numberMetric: Compute<'min' | 'max' | 'avg' | 'sum' | 'stats'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const values = gatherValues(source, slots);
  const isEmpty = values.length === 0;
  switch (aggregation.kind) {
    case 'min':
      return single(finite(minOf(values)), source.text);
    case 'max':
      return single(finite(maxOf(values)), source.text);
    case 'avg':
      return single(isEmpty ? undefined : sumOf(values, false) / values.length, source.text);
    case 'sum':
      return single(sumOf(values, false), source.text);
    case 'stats':
      return stats(values, source);
  }
};

function stats(values: Float64Array, { text }: NumberSource): AggregationResult {
  const count = values.length;
  const sum = sumOf(values, false);
  if (count === 0) return { count, min: null, max: null, avg: null, sum };
  const [min, max, avg] = [minOf(values), maxOf(values), sum / count];
  const result = { count, min, max, avg: resultNumber(avg), sum: resultNumber(sum) };
  if (text === undefined) return result;
  return {
    ...result,
    min_as_string: text(min),
    max_as_string: text(max),
    avg_as_string: text(avg),
    sum_as_string: text(sum),
  };
}

export const extendedStats: Compute<'extended_stats'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const values = gatherValues(source, slots);
  const count = values.length;
  const basic = stats(values, source);
  const squares = sumOf(values, true);
  const sum = Number(basic['sum']);
  const deviations = (divisor: number): number | undefined =>
    count === 0 ? undefined : Math.max(0, squares - (sum * sum) / count) / divisor;
  const variance = deviations(count);
  // A single value has no sampling variance.
  const sampling = count === 1 ? NaN : deviations(count - 1);
  const root = (value: number | undefined) => (value === undefined ? undefined : Math.sqrt(value));
  const average = count === 0 ? undefined : sum / count;
  const bound = (deviation: number | undefined, sign: 1 | -1): JsonValue =>
    resultNumber(
      average === undefined || deviation === undefined ? undefined : average + sign * aggregation.sigma * deviation,
    );
  const [population, sample] = [root(variance), root(sampling)];
  const shown = {
    sum_of_squares: count === 0 ? null : resultNumber(squares),
    variance: resultNumber(variance),
    variance_population: resultNumber(variance),
    variance_sampling: resultNumber(sampling),
    std_deviation: resultNumber(population),
    std_deviation_population: resultNumber(population),
    std_deviation_sampling: resultNumber(sample),
  };
  const bounds = {
    upper: bound(population, 1),
    lower: bound(population, -1),
    upper_population: bound(population, 1),
    lower_population: bound(population, -1),
    upper_sampling: bound(sample, 1),
    lower_sampling: bound(sample, -1),
  };
  return { ...basic, ...shown, std_deviation_bounds: bounds };
};

/** Interpolates between the two neighbours of the rank. @param sorted ascending, at least one */
function quantile(sorted: Float64Array, fraction: number): number {
  const rank = fraction * (sorted.length - 1);
  const below = Math.floor(rank);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (rank - below);
}

/** `percentiles`: exact. */
export const percentiles: Compute<'percentiles'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const sorted = gatherValues(source, slots).sort();
  const entries = aggregation.percents.map((percent) => ({
    percent,
    value: sorted.length === 0 ? undefined : quantile(sorted, percent / 100),
  }));
  const { text } = source;
  if (!aggregation.keyed) {
    return {
      values: entries.map(({ percent, value }) => ({
        key: percent,
        value: resultNumber(value),
        ...(text === undefined || value === undefined ? {} : { value_as_string: text(value) }),
      })),
    };
  }
  const values: [string, JsonValue][] = [];
  for (const { percent, value } of entries) {
    const key = decimalKey(percent);
    values.push([key, resultNumber(value)]);
    if (text !== undefined && value !== undefined) values.push([`${key}_as_string`, text(value)]);
  }
  return { values: Object.fromEntries(values) };
};

/** `median_absolute_deviation`: exact. */
export const medianAbsoluteDeviation: Compute<'median_absolute_deviation'> = (aggregation, slots, run) => {
  const source = numberSource(aggregation, run.scope);
  const values = gatherValues(source, slots).sort();
  if (values.length === 0) return single(undefined, source.text);
  const median = quantile(values, 0.5);
  return single(quantile(values.map((value) => Math.abs(value - median)).sort(), 0.5), source.text);
};
