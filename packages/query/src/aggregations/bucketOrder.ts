import { isJsonObject, type JsonValue } from '@millrace/language';
import { quote } from '../show.js';
import type { BucketOrder } from '../tree/Aggregation.js';
import type { Options } from '../parse/Options.js';

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
