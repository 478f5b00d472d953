import { isJsonObject, type JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import { quote } from '../../show.js';
import type { Aggregation, BucketOrder } from '../../tree/Aggregation.js';
import type { Options } from '../Options.js';

const MAX_CRITERIA = 32;

/** `order`: an object or a list of objects over `_count`, `_key` (also `_term`, `_time`) or a metric path. */
export function readOrder(options: Options, fallback: readonly BucketOrder[]): readonly BucketOrder[] {
  const value = options.raw('order');
  if (value === undefined) return fallback;
  const objects: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const expected = 'an object or list such as {"_key": "asc"}';
  const orders = objects.flatMap((item) => {
    if (!isJsonObject(item)) return options.fail('order', expected);
    return Object.entries(item).map(([key, direction]): BucketOrder => {
      const order = typeof direction === 'string' ? direction.toLowerCase() : '';
      if (order !== 'asc' && order !== 'desc') return options.fail('order', `asc or desc for ${quote(key)}`);
      return { by: readBy(key), order };
    });
  });
  if (orders.length === 0 || orders.length > MAX_CRITERIA) options.fail('order', expected);
  const hasKey = orders.some(({ by }) => by === 'key');
  return hasKey ? orders : [...orders, { by: 'key', order: 'asc' }];
}

function readBy(key: string): BucketOrder['by'] {
  if (key === '_count') return 'count';
  if (key === '_key' || key === '_term' || key === '_time') return 'key';
  return { metric: splitMetricPath(key) };
}

/** `stats.avg`, `stats[avg]`, `filter>stats.avg`. */
function splitMetricPath(key: string): readonly string[] {
  const steps = key.split('>');
  const last = steps.pop() ?? '';
  const bracket = /^(.+)\[([^\]]+)\]$/.exec(last);
  if (bracket !== null) return [...steps, bracket[1] ?? '', bracket[2] ?? ''];
  const dot = last.lastIndexOf('.');
  return dot > 0 ? [...steps, last.slice(0, dot), last.slice(dot + 1)] : [...steps, last];
}

const SINGLE_BUCKET: ReadonlySet<string> = new Set(['filter', 'missing', 'global', 'nested', 'reverse_nested']);
const SINGLE_VALUE: ReadonlySet<string> = new Set([
  'min',
  'max',
  'avg',
  'sum',
  'value_count',
  'cardinality',
  'median_absolute_deviation',
]);
const STATS_VALUES: ReadonlySet<string> = new Set(['count', 'min', 'max', 'avg', 'sum']);
const EXTENDED_VALUES: ReadonlySet<string> = new Set([
  ...STATS_VALUES,
  'sum_of_squares',
  'variance',
  'variance_population',
  'variance_sampling',
  'std_deviation',
  'std_deviation_population',
  'std_deviation_sampling',
]);

/** @throws QueryError if an order doesn't refer to a single value of the sub-aggregations */
export function checkOrders(aggregation: Aggregation): void {
  if (!('order' in aggregation)) return;
  for (const { by } of aggregation.order) {
    if (typeof by === 'string') continue;
    if (!isSingleValue(aggregation.aggregations, by.metric)) {
      throw invalid(
        `${aggregation.path}.order`,
        `order at ${aggregation.path} names no single-value metric: ${quote(by.metric.join('.'))}`,
      );
    }
  }
}

function isSingleValue(children: readonly Aggregation[], path: readonly string[]): boolean {
  const [name, ...rest] = path;
  const child = children.find((candidate) => candidate.name === name);
  if (child === undefined) {
    // A name may contain dots.
    const [second, ...others] = rest;
    return second !== undefined && isSingleValue(children, [`${name ?? ''}.${second}`, ...others]);
  }
  if (SINGLE_BUCKET.has(child.kind)) {
    return rest.length === 0 || (rest.length === 1 && rest[0] === '_count') || isSingleValue(child.aggregations, rest);
  }
  const [value, more] = rest;
  if (more !== undefined) return false;
  if (SINGLE_VALUE.has(child.kind)) return value === undefined || value === 'value';
  if (value === undefined) return false;
  if (child.kind === 'stats') return STATS_VALUES.has(value);
  if (child.kind === 'extended_stats') return EXTENDED_VALUES.has(value);
  return child.kind === 'percentiles' && child.percents.includes(Number(value));
}
