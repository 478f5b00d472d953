import { isJsonObject, parseDateMath, type JsonScalar, type JsonValue } from '@millrace/language';
import { assertNestedPath } from '../kinds/assertValues.js';
import { bindPart } from '../kinds/bindQuery.js';
import { whyChanging, whyUndecidable } from '../kinds/whyUndecidable.js';
import { dateFormatOf } from '../coerce/dateFormatOf.js';
import { coerceDateBound } from '../coerce/coerceDateBound.js';
import { coerceMissing } from '../coerce/coerceMissingValue.js';
import { unfit } from '../coerce/coerceTerm.js';
import { isInTypeRange } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import { readTimeZone } from '../kinds/termKinds.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { Options } from '../parse/Options.js';
import type { QueryParser } from '../parse/QueryParser.js';
import { checkContentField } from '../parse/checkFieldName.js';
import { readDateFormat } from '../parse/readDateFormat.js';
import { present } from '../present.js';
import { show } from '../show.js';
import type { AggregationBase, BucketRange, FiltersAggregation, RangeAggregation } from '../tree/Aggregation.js';
import type { BoundRangeSpan } from '../tree/BoundAggregation.js';
import type { BoundQuery } from '../tree/Query.js';
import { ONE_BUCKET, type AggregationKinds } from './AggregationKind.js';
import type { BucketCounts } from '../cost/measureWork.js';
import { assertDateOptions, hasNumbers, namesNow, readField, valuesBinder } from './fieldValues.js';

const MAX_RANGES = 1024;

const bindNumbers = valuesBinder(hasNumbers);

/** The kinds with buckets by ranges or queries, or one bucket. */
export const BUCKET_KINDS: AggregationKinds<
  'range' | 'date_range' | 'filter' | 'filters' | 'missing' | 'global' | 'nested' | 'reverse_nested'
> = {
  range: {
    parse: (options, base) => ({
      kind: 'range',
      ...readField(options, base),
      ranges: readRanges(options),
      keyed: options.boolean('keyed') ?? false,
      ...present({ format: options.text('format') }),
    }),
    bind(aggregation, place) {
      const bound = bindNumbers(aggregation, place);
      const read = (value: JsonScalar) => coerceRangeBound(aggregation, bound.mapped, value, place.binding.nowMs);
      return { ...bound, spans: spansOf(aggregation.ranges, read) };
    },
    children: 'in buckets',
    counts: ({ ranges }) => allReturned(ranges.length),
    whyNotCounted: ({ ranges }) => namesNow(ranges.flatMap(({ from, to }) => [from, to])),
  },
  date_range: {
    parse: (options, base) => ({
      kind: 'date_range',
      ...readField(options, base),
      ranges: readRanges(options),
      keyed: options.boolean('keyed') ?? false,
      ...present({ format: readDateFormat(options), timeZone: readTimeZone(options) }),
    }),
    bind(aggregation, place) {
      const bound = bindNumbers(aggregation, place);
      assertDateOptions(aggregation, bound.mapped);
      const read = (value: JsonScalar) => coerceDateBound(aggregation, bound.mapped, value, place.binding.nowMs);
      return { ...bound, spans: spansOf(aggregation.ranges, read) };
    },
    children: 'in buckets',
    counts: ({ ranges }) => allReturned(ranges.length),
    whyNotCounted: ({ ranges }) => namesNow(ranges.flatMap(({ from, to }) => [from, to])),
  },
  filter: {
    ...ONE_BUCKET,
    parse(options, base, queries) {
      for (const key of options.rest()) options.drop(key);
      const path = base.path.slice(0, -'.filter'.length);
      return { kind: 'filter', ...base, filter: queries.parse(options.source, `${path}.filter`) };
    },
    bind: (aggregation, { binding, nestedPath }) => ({
      ...aggregation,
      filter: bindPart(aggregation.filter, binding, nestedPath),
    }),
    whyNotCounted: ({ filter }) => whyQuery(filter),
  },
  filters: {
    parse: parseFilters,
    bind: (aggregation, { binding, nestedPath }) => ({
      ...aggregation,
      filters: aggregation.filters.map(({ key, filter }) => ({ key, filter: bindPart(filter, binding, nestedPath) })),
    }),
    children: 'in buckets',
    counts: ({ filters, otherBucketKey }) => ({
      ...allReturned(filters.length),
      certain: filters.length + (otherBucketKey === undefined ? 0 : 1),
    }),
    whyNotCounted: ({ filters }) => filters.map(({ filter }) => whyQuery(filter)).find((why) => why !== null) ?? null,
  },
  missing: {
    ...ONE_BUCKET,
    parse: (options, base) => ({ kind: 'missing', ...readField(options, base) }),
    bind: valuesBinder(() => true),
    whyNotCounted: () => null,
  },
  global: {
    ...ONE_BUCKET,
    parse: (_options, base) => ({ kind: 'global', ...base }),
    bind: (aggregation) => aggregation,
  },
  nested: {
    ...ONE_BUCKET,
    parse(options, base) {
      const path = options.text('path') ?? options.fail('path', 'the path of a nested field');
      return { kind: 'nested', ...base, nestedPath: checkContentField(path, options.path) };
    },
    bind(aggregation, { binding: { compiled } }) {
      const { nestedPath, path } = aggregation;
      // An unmapped path counts nothing; a path of another kind is an error.
      if (compiled.objects.has(nestedPath) || compiled.fields.has(nestedPath))
        assertNestedPath(compiled, nestedPath, path);
      return aggregation;
    },
    whyNotCounted: () => null,
  },
  reverse_nested: {
    ...ONE_BUCKET,
    parse(options, base) {
      const path = options.text('path');
      if (path !== undefined) checkContentField(path, options.path);
      return { kind: 'reverse_nested', ...base, ...present({ nestedPath: path }) };
    },
    bind(aggregation, { binding, nestedDepth }) {
      const { nestedPath, path } = aggregation;
      if (nestedDepth === 0) throw invalid(path, `reverse_nested at ${path} must be inside a nested aggregation`);
      if (nestedPath !== undefined) assertNestedPath(binding.compiled, nestedPath, path);
      return aggregation;
    },
    whyNotCounted: () => null,
  },
};

function allReturned(count: number): BucketCounts {
  return { buckets: count, placements: count, certain: count };
}

function whyQuery(query: BoundQuery): string | null {
  return whyUndecidable(query) ?? whyChanging(query);
}

function spansOf(ranges: readonly BucketRange[], read: (bound: JsonScalar) => number): BoundRangeSpan[] {
  return ranges.map(({ key, from, to }) => ({
    key,
    from: from === undefined ? -Infinity : read(from),
    to: to === undefined ? Infinity : read(to),
  }));
}

function readRanges(options: Options): readonly BucketRange[] {
  const list = options.raw('ranges');
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_RANGES) {
    return options.fail('ranges', `a list of 1 to ${MAX_RANGES} ranges {from, to, key}`);
  }
  return (list as readonly JsonValue[]).map((item, position) => {
    const range = Options.from(item, `${options.path}.ranges[${position}]`, 'Range');
    const [key, from, to] = [range.looseText('key'), range.scalar('from'), range.scalar('to')];
    range.end();
    return present({ key, from, to });
  });
}

function parseFilters(options: Options, base: AggregationBase, queries: QueryParser): FiltersAggregation {
  const given = options.raw('filters');
  const path = `${base.path}.filters`;
  const isNamed = isJsonObject(given);
  if (!isNamed && !Array.isArray(given)) return options.fail('filters', 'an object or a list of queries');
  const entries: readonly (readonly [string, JsonValue])[] = isNamed
    ? Object.entries(given)
    : (given as readonly JsonValue[]).map((query, position) => [String(position), query] as const);
  if (entries.length === 0) options.fail('filters', 'at least one query');
  const otherKey = options.text('other_bucket_key');
  const hasOther = options.boolean('other_bucket') ?? otherKey !== undefined;
  return {
    kind: 'filters',
    ...base,
    keyed: isNamed,
    filters: entries.map(([key, query]) => ({
      key,
      filter: queries.parse(query, isNamed ? `${path}.${key}` : `${path}[${key}]`),
    })),
    ...present({ otherBucketKey: hasOther ? (otherKey ?? '_other_') : undefined }),
  };
}

const MAX_DATE_MS = 8.64e15;

/**
 * Reads a bound of `range`. A string is in the notation of the field's values: a number in the aggregation's format, a
 * date (or date math) in that format or the field's, `true` or `false`. A number is the value itself, milliseconds for
 * dates.
 * @param field of numbers, dates or booleans; undefined if it is not mapped
 * @throws QueryError if it is not a value of the field
 */
function coerceRangeBound(
  { format, path }: Pick<RangeAggregation, 'format' | 'path'>,
  field: CompiledField | undefined,
  bound: JsonScalar,
  nowMs: number,
): number {
  const type = field?.type;
  let value: number | undefined;
  if (type === 'date' && typeof bound === 'string') {
    value = parseDateMath(bound, { format: dateFormatOf(field, format, path), nowMs });
  } else if (type === 'boolean' && typeof bound === 'string') {
    value = bound === 'true' ? 1 : bound === 'false' ? 0 : undefined;
  } else if (typeof bound !== 'boolean') value = coerceMissing(bound, `${path}.ranges`);
  const isHeld =
    value !== undefined &&
    (type === 'date'
      ? Math.abs(value) <= MAX_DATE_MS
      : (type !== 'float' && type !== 'half_float') || isInTypeRange(type, value));
  if (value !== undefined && isHeld) return value;
  if (field !== undefined) throw unfit(field, bound, path, 'a bound of such values');
  throw invalid(path, `Invalid bound ${show(bound)} at ${path}: expected a number`);
}
