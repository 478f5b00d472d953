/* Every aggregation, with sub-aggregations. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { randomHighlight } from './randomHighlight.js';
import { NUMBERS, type LeafKind, type RandomField } from './randomMapping.js';
import { randomQuery } from './randomQuery.js';
import { randomSort } from './randomSort.js';
import { randomDate } from './randomValue.js';
import type { RequestContext } from './RequestContext.js';

const ZONES = ['+01:00', '-05:30', 'Europe/Paris', 'America/New_York', 'Asia/Kolkata'];
const CALENDAR = ['day', 'week', 'month', 'quarter', 'year', '1d', '1w', '1M', '1q', '1y'];
const FIXED = ['1d', '30d', '12h', '7d'];
const TERM_KINDS: readonly LeafKind[] = [...NUMBERS, 'keyword', 'keyword', 'keyword', 'boolean', 'date', 'ip', 'text'];

/** @param depth levels of sub-aggregations that may still come */
export function randomAggregations(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const names = chance.list(chance.between(1, 2), (position) => `a${depth}${position}`);
  return Object.fromEntries(names.map((name) => [name, aggregation(context, depth)]));
}

function aggregation(context: RequestContext, depth: number): JsonObject {
  const { chance } = context;
  const meta: JsonObject = chance.percent(3) ? { meta: { why: 'test' } } : {};
  if (depth === 0 || chance.percent(30)) return { ...metric(context), ...meta };
  const { body, inside } = bucket(context, depth);
  const isOrdered = JSON.stringify(body).includes('by_metric');
  const aggs = {
    ...(chance.percent(60) ? randomAggregations(inside, depth - 1) : {}),
    ...(isOrdered ? { by_metric: { stats: { field: inside.valueField('integer', 'long').name } } } : {}),
  };
  const hasInner = Object.keys(aggs).length > 0;
  return { ...body, ...meta, ...(hasInner ? { [chance.of(['aggs', 'aggregations'])]: aggs } : {}) };
}

function metric(context: RequestContext): JsonObject {
  const { chance } = context;
  if (chance.percent(12)) return topHits(context);
  if (chance.percent(25)) {
    const { name } = context.valueField('boolean', 'keyword', 'ip', 'text', 'geo_point');
    return { [chance.of(['value_count', 'cardinality'])]: { field: name } };
  }
  if (chance.percent(15)) {
    const { name } = context.valueField('date');
    return { [chance.of(['min', 'max', 'value_count', 'cardinality'])]: { field: name } };
  }
  const field = context.numberField();
  const kind = chance.of([
    'stats',
    'extended_stats',
    'percentiles',
    'median_absolute_deviation',
    'min',
    'max',
    'avg',
    'sum',
    'value_count',
    'cardinality',
  ]);
  const options = chance.options<JsonValue>({
    missing: [15, () => context.value(field)],
    sigma: [kind === 'extended_stats' ? 40 : 0, () => chance.of([0, 1, 3])],
    percents: [kind === 'percentiles' ? 50 : 0, () => [0, 10, 50, 90, 100]],
    keyed: [kind === 'percentiles' ? 40 : 0, () => false],
  });
  return { [kind]: { field: field.name, ...options } };
}

function topHits(context: RequestContext): JsonObject {
  const { chance } = context;
  const isRoot = context.nestedPath === undefined;
  // Nested objects of one document share its `_id`: no sort of them is total, so all are shown.
  const page = isRoot
    ? { size: chance.of([1, 2, 5, 99]), sort: randomSort(context), from: chance.of([0, 0, 1]) }
    : { size: 100 };
  const options = chance.options<JsonValue>({
    _source: [30, () => chance.of<JsonValue>([false, ['text*', 'keyword'], { excludes: ['*.keyword'] }])],
    version: [10, () => true],
    highlight: [8, () => randomHighlight(context)],
  });
  return { top_hits: { ...page, ...options } };
}

interface Bucket {
  readonly body: JsonObject;
  /** The fields that sub-aggregations can name. */
  readonly inside: RequestContext;
}

function bucket(context: RequestContext, depth: number): Bucket {
  const { chance, nestedPath } = context;
  const isTop = depth === 2 && nestedPath === undefined;
  if (chance.percent(15)) return nested(context);
  const bodies: readonly (() => JsonObject)[] = [
    () => ({ terms: terms(context) }),
    () => ({ terms: terms(context) }),
    () => ({ terms: terms(context) }),
    () => ({ range: range(context) }),
    () => ({ date_range: dateRange(context) }),
    () => ({ histogram: histogram(context) }),
    () => ({ date_histogram: dateHistogram(context) }),
    () => ({ date_histogram: dateHistogram(context) }),
    () => ({ filter: randomQuery(context, 1) }),
    () => ({ filters: filters(context) }),
    () => ({ missing: { field: context.valueField().name } }),
    () => (isTop && chance.percent(50) ? { global: {} } : { geohash_grid: geohashGrid(context) }),
    // Refused below other buckets.
    () => (isTop ? { composite: composite(context) } : { terms: terms(context) }),
  ];
  return { body: chance.of(bodies)(), inside: context };
}

function terms(context: RequestContext): JsonObject {
  const { chance } = context;
  const field = context.valueField(...TERM_KINDS);
  const isText = field.type === 'keyword' || field.type === 'text';
  const filter = (): JsonValue =>
    isText && chance.percent(50)
      ? chance.of(['a.*', 'm.*l', '[a-c]+', 'M.*'])
      : chance.list(chance.between(1, 3), () => context.value(field));
  const order = () =>
    chance.of<JsonValue>([
      { _count: 'asc' },
      { _key: 'desc' },
      { _key: 'asc' },
      [{ _count: 'desc' }, { _key: 'desc' }],
      { 'by_metric.max': 'desc' },
      { 'by_metric.avg': 'asc' },
      { _term: 'asc' },
    ]);
  const options = chance.options<JsonValue>({
    size: [50, () => chance.of([1, 2, 3, 50, 1000])],
    order: [35, order],
    min_doc_count: [20, () => chance.of([0, 1, 2])],
    include: [12, filter],
    exclude: [10, filter],
    missing: [field.type === 'ip' ? 0 : 15, () => context.value(field)],
    shard_size: [4, () => 100],
  });
  return { field: field.name, ...options };
}

function ranges(context: RequestContext, from: () => JsonValue, to: () => JsonValue): JsonObject {
  const { chance } = context;
  const one = (): JsonObject =>
    chance.options<JsonValue>({
      from: [75, from],
      to: [75, to],
      key: [20, () => chance.of(['low', 'high'])],
    });
  return {
    ranges: chance.list(chance.between(1, 3), one),
    ...chance.options<JsonValue>({ keyed: [25, () => true] }),
  };
}

function range(context: RequestContext): JsonObject {
  const { chance } = context;
  const list = ranges(
    context,
    () => chance.between(-3, 6),
    () => chance.of([0, 3, 7.5, 100]),
  );
  const missing = chance.options<JsonValue>({ missing: [10, () => 2] });
  return { field: context.numberField().name, ...list, ...missing };
}

function dateRange(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name, format } = context.valueField('date');
  const bound = (): JsonValue => {
    const date = randomDate(chance, format ?? 'yyyy-MM-dd');
    return chance.of<JsonValue>([date, `${date}||/M`, `${date}||-1y`]);
  };
  const options = chance.options<JsonValue>({
    time_zone: [20, () => chance.of(ZONES)],
    missing: [8, () => randomDate(chance, format)],
  });
  return { field: name, ...ranges(context, bound, bound), ...options };
}

function histogram(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name, type } = context.valueField('byte', 'short', 'integer', 'double', 'float');
  const isSmall = /byte|double|float/.test(type);
  const order = () => chance.of<JsonValue>([{ _key: 'desc' }, { _count: 'desc' }, { 'by_metric.min': 'asc' }]);
  return {
    field: name,
    interval: chance.of(isSmall ? [1, 2, 5, 0.5] : [1000, 5000, 25_000]),
    min_doc_count: chance.of(isSmall ? [0, 0, 1, 2] : [1, 1, 2]),
    ...chance.options<JsonValue>({
      offset: [20, () => chance.of([0.5, 1])],
      keyed: [20, () => true],
      order: [20, order],
      missing: [15, () => 3],
      extended_bounds: [12, () => ({ min: -2, max: 20 })],
      hard_bounds: [10, () => ({ min: 0, max: 50 })],
    }),
  };
}

function interval({ chance }: RequestContext): JsonObject {
  return chance.percent(60) ? { calendar_interval: chance.of(CALENDAR) } : { fixed_interval: chance.of(FIXED) };
}

function dateHistogram(context: RequestContext): JsonObject {
  const { chance } = context;
  const { name, format } = context.valueField('date');
  const drawn = interval(context);
  const isCoarse = /month|quarter|year|1M|1q|1y/.test(JSON.stringify(drawn));
  const options = chance.options<JsonValue>({
    time_zone: [35, () => chance.of(ZONES)],
    offset: [20, () => chance.of(['+6h', '-1d', '2h', '+90m'])],
    format: [25, () => chance.of(['yyyy-MM-dd', 'yyyy-MM-dd HH:mm', 'epoch_millis'])],
    keyed: [20, () => true],
    order: [15, () => chance.of<JsonValue>([{ _key: 'desc' }, { _count: 'desc' }])],
    missing: [12, () => randomDate(chance, format)],
  });
  return {
    field: name,
    ...drawn,
    min_doc_count: chance.of(isCoarse ? [0, 1] : [1, 1, 2]),
    ...options,
  };
}

function filters(context: RequestContext): JsonObject {
  const { chance } = context;
  const queries = chance.list(chance.between(1, 3), () => randomQuery(context, 0));
  const named = Object.fromEntries(queries.map((query, position) => [`f${position}`, query]));
  const options = chance.options<JsonValue>({
    other_bucket: [30, () => true],
    other_bucket_key: [15, () => 'rest'],
  });
  return { filters: chance.percent(50) ? queries : named, ...options };
}

function nested(context: RequestContext): Bucket {
  const { chance, innerPaths, nestedPath } = context;
  if (nestedPath !== undefined && (innerPaths.length === 0 || chance.percent(60))) {
    const [parent] = nestedPath.split('.');
    return parent === undefined || parent === nestedPath || chance.percent(60)
      ? { body: { reverse_nested: {} }, inside: context.outside() }
      : { body: { reverse_nested: { path: parent } }, inside: context.inside(parent) };
  }
  if (innerPaths.length === 0) return { body: { terms: terms(context) }, inside: context };
  const path = chance.of(innerPaths);
  return { body: { nested: { path } }, inside: context.inside(path) };
}

function composite(context: RequestContext): JsonObject {
  const { chance } = context;
  const drawn = chance.list(chance.between(1, 3), () => source(context));
  const common = () =>
    chance.options<JsonValue>({
      order: [40, () => chance.of(['asc', 'desc'])],
      missing_bucket: [35, () => true],
    });
  const sources = drawn.map(([kind, { name }, options], position): JsonObject => ({
    [`s${position}`]: { [kind]: { field: name, ...options, ...common() } },
  }));
  const keyOf = (field: RandomField) => (field.type === 'date' ? 1_680_000_000_000 : context.value(field));
  const after = () => Object.fromEntries(drawn.map(([, field], position) => [`s${position}`, keyOf(field)]));
  const options = chance.options<JsonValue>({
    size: [60, () => chance.of([1, 2, 5, 100])],
    after: [25, after],
  });
  return { sources, ...options };
}

function source(context: RequestContext): [kind: string, field: RandomField, options: JsonObject] {
  const { chance } = context;
  switch (chance.below(4)) {
    case 0: {
      const field = context.valueField('byte', 'integer', 'double', 'short', 'float');
      return ['histogram', field, { interval: chance.of([1, 5, 2.5]) }];
    }
    case 1: {
      const zone = chance.options<JsonValue>({ time_zone: [25, () => chance.of(ZONES)] });
      return ['date_histogram', context.valueField('date'), { ...interval(context), ...zone }];
    }
    default: {
      const field = context.valueField('keyword', 'integer', 'long', 'boolean', 'date', 'ip');
      return ['terms', field, {}];
    }
  }
}

function geohashGrid(context: RequestContext): JsonObject {
  const { chance } = context;
  const options = chance.options<JsonValue>({
    precision: [70, () => chance.of<JsonValue>([1, 2, 3, 5, 8, '10km'])],
    size: [20, () => chance.of([1, 3])],
    bounds: [15, () => ({ top_left: { lat: 60, lon: -10 }, bottom_right: { lat: 0, lon: 20 } })],
  });
  return { field: context.valueField('geo_point').name, ...options };
}
