import type { CalendarUnit, DateInterval, JsonScalar } from '@millrace/language';
import { coerceDateBound } from '../coerce/coerceDateBound.js';
import { invalid } from '../errors.js';
import { readTimeZone } from '../kinds/termKinds.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { MS_PER_UNIT } from '../parse/parseSpan.js';
import { Options } from '../parse/Options.js';
import { readDateFormat } from '../parse/readDateFormat.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type {
  BucketOrder,
  DateHistogramAggregation,
  HistogramAggregation,
  HistogramBounds,
} from '../tree/Aggregation.js';
import type { BoundAggregation } from '../tree/BoundAggregation.js';
import { SUPPOSED_VALUES, type AggregationKinds } from './AggregationKind.js';
import { readOrder } from './bucketOrder.js';
import { assertDateOptions, hasNumbers, namesNow, readField, valuesBinder } from './fieldValues.js';

const BY_KEY: readonly BucketOrder[] = [{ by: 'key', order: 'asc' }];

/** Assumed number of buckets of a histogram: the weeks of a year. */
const SUPPOSED_BUCKETS = 52;

const bindNumbers = valuesBinder(hasNumbers);

/** The kinds with buckets of one width. */
export const HISTOGRAM_KINDS: AggregationKinds<'histogram' | 'date_histogram'> = {
  histogram: {
    parse(options, base) {
      const interval = options.number('interval', { above: 0 }) ?? options.fail('interval', 'a number > 0');
      return {
        kind: 'histogram',
        ...readField(options, base),
        interval,
        offset: options.number('offset') ?? 0,
        minDocCount: options.number('min_doc_count', { min: 0, isInteger: true }) ?? 0,
        keyed: options.boolean('keyed') ?? false,
        order: readOrder(options, BY_KEY),
        ...present({
          ...readNumberBounds(options),
          format: options.text('format'),
        }),
      };
    },
    bind: bindNumbers,
    children: 'in buckets',
    counts: () => ({ buckets: SUPPOSED_BUCKETS, placements: SUPPOSED_VALUES, certain: 0 }),
    whyNotCounted: whyHistogram,
  },
  date_histogram: {
    parse: (options, base) => ({
      kind: 'date_histogram',
      ...readField(options, base),
      interval: readInterval(options),
      offsetMs: readOffset(options),
      minDocCount: options.number('min_doc_count', { min: 0, isInteger: true }) ?? 0,
      keyed: options.boolean('keyed') ?? false,
      order: readOrder(options, BY_KEY),
      ...present({
        extendedBounds: readBounds(options, 'extended_bounds', readDateBound),
        hardBounds: readBounds(options, 'hard_bounds', readDateBound),
        format: readDateFormat(options),
        timeZone: readTimeZone(options),
      }),
    }),
    bind(aggregation, place) {
      const bound = bindNumbers(aggregation, place);
      const { mapped } = bound;
      assertDateOptions(aggregation, mapped);
      const read = (bounds: DateHistogramAggregation['hardBounds']) =>
        bindBounds(aggregation, mapped, bounds, place.binding.nowMs);
      return { ...bound, extended: read(aggregation.extendedBounds), hard: read(aggregation.hardBounds) };
    },
    children: 'in buckets',
    counts: () => ({ buckets: SUPPOSED_BUCKETS, placements: 1, certain: 0 }),
    whyNotCounted: whyHistogram,
  },
};

function whyHistogram(each: BoundAggregation<'histogram' | 'date_histogram'>): string | null {
  const { keyed, order, extendedBounds, hardBounds } = each;
  if (keyed) return 'keyed: give a list of buckets';
  if (order.some(({ by, order: direction }) => by !== 'key' || direction !== 'asc')) {
    return 'another order than by key';
  }
  if (each.kind === 'date_histogram' && each.offsetMs !== 0) return 'offset';
  return namesNow([extendedBounds?.min, extendedBounds?.max, hardBounds?.min, hardBounds?.max]);
}

function bindBounds(
  aggregation: DateHistogramAggregation,
  field: CompiledField | undefined,
  bounds: DateHistogramAggregation['hardBounds'],
  nowMs: number,
): HistogramBounds<number> {
  const read = (bound: JsonScalar) => coerceDateBound(aggregation, field, bound, nowMs);
  const min = bounds?.min === undefined ? undefined : read(bounds.min);
  const max = bounds?.max === undefined ? undefined : read(bounds.max);
  if (min !== undefined && max !== undefined && min > max) {
    const { path } = aggregation;
    throw invalid(path, `Bounds at ${path} have min above max`);
  }
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function readDateBound(inner: Options, key: string): JsonScalar | undefined {
  const bound = inner.scalar(key);
  return typeof bound === 'number' && !Number.isSafeInteger(bound)
    ? inner.fail(key, 'a date or a whole number of milliseconds')
    : bound;
}

function readNumberBounds(options: Options): Pick<HistogramAggregation, 'extendedBounds' | 'hardBounds'> {
  const read = (key: string) => readBounds(options, key, (inner, end) => inner.number(end));
  const [extended, hard] = [read('extended_bounds'), read('hard_bounds')];
  const isOutside =
    (extended?.min ?? Infinity) < (hard?.min ?? -Infinity) || (extended?.max ?? -Infinity) > (hard?.max ?? Infinity);
  if (isOutside) options.fail('extended_bounds', 'inside hard_bounds');
  return present({ extendedBounds: extended, hardBounds: hard });
}

function readBounds<Bound>(
  options: Options,
  key: string,
  read: (inner: Options, key: string) => Bound | undefined,
): HistogramBounds<Bound> | undefined {
  const value = options.raw(key);
  if (value === undefined) return undefined;
  const inner = Options.from(value, `${options.path}.${key}`, key);
  const [min, max] = [read(inner, 'min'), read(inner, 'max')];
  inner.end();
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw invalid(inner.path, `${key} at ${inner.path} has min above max`);
  }
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

const CALENDAR_UNITS: ReadonlyMap<string, CalendarUnit> = new Map([
  ['minute', 'minute'],
  ['1m', 'minute'],
  ['hour', 'hour'],
  ['1h', 'hour'],
  ['day', 'day'],
  ['1d', 'day'],
  ['week', 'week'],
  ['1w', 'week'],
  ['month', 'month'],
  ['1M', 'month'],
  ['quarter', 'quarter'],
  ['1q', 'quarter'],
  ['year', 'year'],
  ['1y', 'year'],
]);

/** `calendar_interval`, `fixed_interval` or the legacy `interval`. */
export function readInterval(options: Options): DateInterval {
  const calendar = options.text('calendar_interval');
  const fixed = options.text('fixed_interval');
  const legacy = options.text('interval');
  if ([calendar, fixed, legacy].filter((given) => given !== undefined).length > 1) {
    throw invalid(options.path, `${options.construct} at ${options.path} takes one interval only`);
  }
  if (calendar !== undefined) {
    return (
      calendarInterval(calendar) ??
      options.fail(
        'calendar_interval',
        'one of minute, hour, day, week, month, quarter, year or 1m, 1h, 1d, 1w, 1M, 1q, 1y',
      )
    );
  }
  if (fixed !== undefined) {
    return fixedInterval(fixed) ?? options.fail('fixed_interval', 'a number > 0 and a unit ms, s, m, h, d');
  }
  if (legacy === undefined) return options.fail('calendar_interval', 'or "fixed_interval"');
  return (
    calendarInterval(legacy) ??
    fixedInterval(legacy === 'second' ? '1s' : legacy) ??
    options.fail('interval', 'a calendar unit or a fixed span such as 30d')
  );
}

function calendarInterval(text: string): DateInterval | undefined {
  const unit = CALENDAR_UNITS.get(text);
  return unit === undefined ? undefined : { kind: 'calendar', unit };
}

function fixedInterval(text: string): DateInterval | undefined {
  const [, amount, unit] = /^(\d{1,15})\s*(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(amount) * (MS_PER_UNIT[unit ?? ''] ?? Number.NaN);
  return ms > 0 && Number.isSafeInteger(ms) ? { kind: 'fixed', ms } : undefined;
}

/** `offset`: milliseconds, or a duration with a sign such as `+6h`. */
export function readOffset(options: Options): number {
  const value = options.raw('offset');
  if (value === undefined) return 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const text = typeof value === 'string' ? value : '';
  const [, sign, amount, unit] = /^([+-]?)(\d{1,15})(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = Number(amount) * (MS_PER_UNIT[unit ?? 'ms'] ?? Number.NaN);
  if (!Number.isSafeInteger(ms)) {
    return options.fail('offset', `a span such as ${quote('+6h')}`);
  }
  return sign === '-' ? 0 - ms : ms;
}
