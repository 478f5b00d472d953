/* Every aggregation, with sub-aggregations. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { NUMBERS, type RandomField } from './randomMapping.js';
import { randomHighlight } from './randomHighlight.js';
import { randomQuery } from './randomQuery.js';
import { randomSort } from './randomSort.js';
import { randomDate } from './randomValue.js';
import type { RequestContext } from './RequestContext.js';

const SINGLE_METRICS = ['min', 'max', 'avg', 'sum', 'value_count', 'cardinality'];
const ZONES = ['+01:00', '-05:30', 'Europe/Paris', 'America/New_York', 'Asia/Kolkata'];
const CALENDAR = ['day', 'week', 'month', 'quarter', 'year', '1d', '1w', '1M', '1q', '1y', 'hour'];
const FIXED = ['1d', '30d', '12h', '90m', '7d', '10000s'];

/** @param depth levels of sub-aggregations that may still come */
export function randomAggregations(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const entries = chance.list(
    chance.between(1, 2),
    (position) => [`a${depth}${position}`, aggregation(context, depth)] as const,
  );
  return Object.fromEntries(entries);
}

function aggregation(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const meta: JsonObject = chance.percent(3) ? { meta: { why: 'test' } } : {};
  if (depth === 0 || chance.percent(30)) return { ...metric(context), ...meta };
  const { body, inside } = bucket(context, depth);
  if (!chance.percent(60)) return { ...body, ...meta };
  const kinds = Object.keys(body);
  const order = (body[kinds[0] ?? ''] as JsonObject)['order'];
  const subs = randomAggregations(inside, depth - 1);
  // An order by a metric needs that metric; `terms` and `histogram` draw it under this name.
  const ordered: JsonObject = JSON.stringify(order ?? '').includes('by_metric')
    ? { by_metric: orderMetric(inside, order) }
    : {};
  return { ...body, ...meta, [chance.of(['aggs', 'aggregations'])]: { ...subs, ...ordered } };
}

function orderMetric(context: RequestContext, order: JsonValue | undefined): JsonObject {
  const isStats = JSON.stringify(order).includes('by_metric.');
  return {
    [isStats ? 'stats' : context.chance.of(['min', 'max', 'avg', 'sum', 'value_count'])]: {
      field: context.valueField('integer', 'long', 'short').name,
    },
  };
}

function metric(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(75)
    ? context.valueField(...NUMBERS)
    : context.valueField('date', 'boolean', 'keyword', 'ip', 'text', 'geo_point');
  const isNumber =
    NUMBERS.includes(field.type) || field.type === 'date' || field.type === 'boolean';
  const hasMissing = field.type !== 'geo_point' && field.type !== 'ip';
  const missing = chance.options<JsonValue>({
    missing: [hasMissing ? 15 : 0, () => context.value(field)],
  });
  const options = { field: field.name, ...missing };
  switch (chance.below(8)) {
    case 0:
      return { stats: options };
    case 1:
      return {
        extended_stats: {
          ...options,
          ...chance.options<JsonValue>({ sigma: [40, () => chance.of([0, 1, 3])] }),
        },
      };
    case 2:
      return {
        percentiles: {
          ...options,
          ...chance.options<JsonValue>({
            percents: [50, () => [0, 10, 50, 90, 100]],
            keyed: [40, () => false],
          }),
        },
      };
    case 3:
      return { median_absolute_deviation: options };
    case 4:
      return topHits(context);
    default:
      return {
        [isNumber
          ? chance.of([...SINGLE_METRICS])
          : chance.of(['value_count', 'cardinality', 'cardinality', 'min'])]:
          field.type === 'date' ? { field: field.name } : { field: field.name, ...missing },
      };
  }
}

function topHits(context: RequestContext): JsonObject {
  const { chance } = context;
  const { nestedPath } = context;
  return {
    top_hits: {
      // Nested objects of one document share its `_id`: no sort of them is total, so all are shown.
      ...(nestedPath === undefined
        ? { size: chance.of([1, 2, 5, 100]), sort: [...randomSort(context)] }
        : { size: 100 }),
      ...chance.options<JsonValue>({
        from: [nestedPath === undefined ? 10 : 0, () => 1],
        _source: [
          30,
          () => chance.of<JsonValue>([false, ['text*', 'keyword'], { excludes: ['*.keyword'] }]),
        ],
        version: [10, () => true],
        highlight: [8, () => randomHighlight(context)],
      }),
    },
  };
}

interface Bucket {
  readonly body: JsonObject;
  /** What sub-aggregations see. */
  readonly inside: RequestContext;
}

function bucket(context: RequestContext, depth: number): Bucket {
  const { chance } = context;
  const here = (body: JsonObject): Bucket => ({ body, inside: context });
  switch (chance.below(17)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return here({ terms: terms(context) });
    case 4:
      return here({ range: range(context) });
    case 5:
      return here({ date_range: dateRange(context) });
    case 6:
      return here({ histogram: histogram(context) });
    case 7:
    case 8:
      return here({ date_histogram: dateHistogram(context) });
    case 9:
      return here({ filter: randomQuery(context, 1) });
    case 10:
      return here({ filters: filters(context) });
    case 11:
      return here({ missing: { field: context.valueField().name } });
    case 12:
      return depth === 2 && context.nestedPath === undefined && chance.percent(50)
        ? here({ global: {} })
        : here({ geohash_grid: geohashGrid(context) });
    case 13:
    case 14:
      return nested(context);
    default:
      return here({ composite: composite(context) });
  }
}

function terms(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField(
    ...NUMBERS,
    'keyword',
    'keyword',
    'boolean',
    'date',
    'ip',
    'text',
  );
  const isText = field.type === 'keyword' || field.type === 'text';
  const filter = (): JsonValue =>
    isText && chance.percent(50)
      ? chance.of(['a.*', 'm.*l', '[a-c]+', 'M.*'])
      : chance.list(chance.between(1, 3), () => context.value(field));
  const order = () =>
    chance.of<JsonValue>([
      { _count: 'asc' }, { _key: 'desc' }, { _key: 'asc' }, [{ _count: 'desc' }, { _key: 'desc' }], { by_metric: 'desc' }, { 'by_metric.avg': 'asc' }, { _term: 'asc' },
    ]); // prettier-ignore
  return {
    field: field.name,
    ...chance.options<JsonValue>({
      size: [50, () => chance.of([1, 2, 3, 50, 1000])],
      order: [35, order],
      min_doc_count: [20, () => chance.of([0, 1, 2])],
      include: [12, filter],
      exclude: [10, filter],
      missing: [field.type === 'ip' ? 0 : 15, () => context.value(field)],
      shard_size: [4, () => 100],
    }),
  };
}

function range(context: RequestContext): JsonObject {
  const { chance } = context;
  const one = (): JsonObject =>
    chance.options<JsonValue>({
      from: [75, () => chance.between(-3, 6)],
      to: [75, () => chance.of([0, 3, 7.5, 100])],
      key: [20, () => chance.of(['low', 'high'])],
    });
  return {
    field: context.numberField().name,
    ranges: chance.list(chance.between(1, 3), one),
    ...chance.options<JsonValue>({ keyed: [25, () => true], missing: [10, () => 2] }),
  };
}

function dateRange(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField('date');
  const bound = (): JsonValue =>
    chance.of<JsonValue>([
      randomDate(chance, field.format),
      `${String(randomDate(chance, field.format ?? 'yyyy-MM-dd'))}||/M`,
      `${String(randomDate(chance, field.format ?? 'yyyy-MM-dd'))}||-1y`,
    ]);
  const one = (): JsonObject =>
    chance.options<JsonValue>({
      from: [75, bound],
      to: [75, bound],
      key: [20, () => chance.of(['low', 'high'])],
    });
  return {
    field: field.name,
    ranges: chance.list(chance.between(1, 3), one),
    ...chance.options<JsonValue>({
      keyed: [25, () => true],
      time_zone: [20, () => chance.of(ZONES)],
      format: [15, () => chance.of(['yyyy-MM-dd', 'MM/yyyy'])],
      missing: [8, () => randomDate(chance, field.format)],
    }),
  };
}

function histogram(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = chance.percent(90)
    ? context.valueField('byte', 'short', 'integer', 'double', 'float', 'half_float')
    : context.valueField('boolean', 'long');
  return {
    field: field.name,
    interval: chance.of(field.type === 'byte' ? [1, 2, 5, 0.5] : [1000, 5000, 25_000]),
    min_doc_count: chance.of([1, 1, 2]),
    ...chance.options<JsonValue>({
      min_doc_count: [field.type === 'byte' ? 60 : 0, () => 0],
      offset: [20, () => chance.of([0.5, 1, -3])],
      keyed: [20, () => true],
      order: [
        20,
        () => chance.of<JsonValue>([{ _key: 'desc' }, { _count: 'desc' }, { by_metric: 'asc' }]),
      ],
      missing: [15, () => 3],
      extended_bounds: [12, () => ({ min: -2, max: 20 })],
      hard_bounds: [10, () => ({ min: 0, max: 50 })],
    }),
  };
}

function dateHistogram(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField('date');
  const interval = chance.percent(60)
    ? { calendar_interval: chance.of(CALENDAR) }
    : { fixed_interval: chance.of(FIXED) };
  const bound = () => randomDate(chance, field.format);
  return {
    field: field.name,
    ...interval,
    min_doc_count: chance.of([1, 1, 2]),
    ...chance.options<JsonValue>({
      min_doc_count: [/hour|1?h|m$|s$|d/.test(JSON.stringify(interval)) ? 0 : 50, () => 0],
      time_zone: [35, () => chance.of(ZONES)],
      offset: [20, () => chance.of(['+6h', '-1d', '2h', '+90m'])],
      format: [25, () => chance.of(['yyyy-MM-dd', 'yyyy-MM-dd HH:mm', 'epoch_millis', 'MM/yyyy'])],
      keyed: [20, () => true],
      order: [15, () => chance.of<JsonValue>([{ _key: 'desc' }, { _count: 'desc' }])],
      missing: [12, bound],
      hard_bounds: [6, () => ({ min: bound(), max: bound() })],
    }),
  };
}

function filters(context: RequestContext): JsonObject {
  const { chance } = context;
  const queries = chance.list(chance.between(1, 3), () => randomQuery(context, 0));
  const named = Object.fromEntries(queries.map((query, position) => [`f${position}`, query]));
  return {
    filters: chance.percent(50) ? queries : named,
    ...chance.options<JsonValue>({
      other_bucket: [30, () => true],
      other_bucket_key: [15, () => 'rest'],
    }),
  };
}

function nested(context: RequestContext): Bucket {
  const { chance, innerPaths, nestedPath } = context;
  if (nestedPath !== undefined && (innerPaths.length === 0 || chance.percent(60))) {
    const target =
      nestedPath.includes('.') && chance.percent(40)
        ? nestedPath.slice(0, nestedPath.lastIndexOf('.'))
        : undefined;
    return {
      body: { reverse_nested: target === undefined ? {} : { path: target } },
      inside: target === undefined ? context.outside() : context.inside(target),
    };
  }
  const isOdd = chance.percent(context.oddness + 1);
  if (innerPaths.length === 0 && !isOdd)
    return { body: { terms: terms(context) }, inside: context };
  const path =
    innerPaths.length > 0 && !isOdd
      ? chance.of(innerPaths)
      : chance.of(['nowhere', 'object', 'items']);
  return { body: { nested: { path } }, inside: context.inside(path) };
}

function composite(context: RequestContext): JsonObject {
  const { chance } = context;
  const fields: RandomField[] = [];
  const sources = chance.list(chance.between(1, 3), (position): JsonObject => {
    const common = chance.options<JsonValue>({
      order: [40, () => chance.of(['asc', 'desc'])],
      missing_bucket: [35, () => true],
    });
    const [kind, field, options] = source(context);
    fields.push(field);
    return { [`s${position}`]: { [kind]: { field: field.name, ...options, ...common } } };
  });
  const after = (): JsonValue =>
    Object.fromEntries(
      fields.map((field, position) => [
        `s${position}`,
        field.type === 'date' ? 1_680_000_000_000 : context.value(field),
      ]),
    );
  return {
    sources,
    ...chance.options<JsonValue>({
      size: [60, () => chance.of([1, 2, 5, 100])],
      after: [25, after],
    }),
  };
}

function source(context: RequestContext): [kind: string, field: RandomField, options: JsonObject] {
  const { chance } = context;
  switch (chance.below(4)) {
    case 0:
      return [
        'histogram',
        context.valueField('byte', 'integer', 'double', 'short', 'float'),
        { interval: chance.of([1, 5, 2.5]) },
      ];
    case 1: {
      const interval: JsonObject = chance.percent(60)
        ? { calendar_interval: chance.of(CALENDAR) }
        : { fixed_interval: chance.of(FIXED) };
      const options = chance.options<JsonValue>({
        time_zone: [25, () => chance.of(ZONES)],
        format: [20, () => 'yyyy-MM-dd'],
        offset: [10, () => '+6h'],
      });
      return ['date_histogram', context.valueField('date'), { ...interval, ...options }];
    }
    default:
      return [
        'terms',
        context.valueField('keyword', 'integer', 'long', 'boolean', 'double', 'date', 'ip'),
        {},
      ];
  }
}

function geohashGrid(context: RequestContext): JsonObject {
  const { chance } = context;
  return {
    field: context.valueField('geo_point').name,
    ...chance.options<JsonValue>({
      precision: [70, () => chance.of<JsonValue>([1, 2, 3, 5, 8, 12, '10km', '100m'])],
      size: [20, () => chance.of([1, 3])],
      bounds: [15, () => ({ top_left: { lat: 60, lon: -10 }, bottom_right: { lat: 0, lon: 20 } })],
    }),
  };
}
