import { type JsonScalar, compileDateFormat } from '@millrace/language';
import { isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import { parseMissingPoint } from '../geo/parseMissingPoint.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote, show } from '../show.js';
import type {
  Aggregation,
  CompositeSource,
  DateHistogramAggregation,
  DateRangeAggregation,
  RangeAggregation,
} from '../tree/Aggregation.js';
import { assertNestedPath } from './assertNestedPath.js';
import { assertValues } from './assertValues.js';
import { coerceAfter } from '../coerce/coerceAfter.js';
import { coerceDateBound } from '../coerce/coerceDateBound.js';
import { coerceRangeBound } from '../coerce/coerceRangeBound.js';
import { coerceMissing } from '../coerce/coerceMissing.js';
import { coerceDocValue } from '../coerce/coerceTerm.js';
import { pathInside } from '../tree/pathInside.js';
import type { BoundQuery } from '../tree/Query.js';
import type { Binding } from './Binding.js';
import { bindHighlight } from './bindHighlight.js';
import { bindPart } from './bindPart.js';
import { bindSort } from './bindSort.js';

const NUMERIC_KINDS: ReadonlySet<string> = new Set([
  'min', 'max', 'avg', 'sum', 'stats', 'extended_stats', 'percentiles', 'median_absolute_deviation', 'histogram', 'range',
]); // prettier-ignore

/**
 * Binds an aggregation and those in it.
 * @param nestedDepth number of enclosing `nested` aggregations
 * @param nestedPath the nested field whose objects are aggregated
 * @throws QueryError
 */
export function bindAggregation(
  aggregation: Aggregation,
  binding: Binding,
  nestedDepth = 0,
  nestedPath?: string,
): Aggregation<BoundQuery> {
  const isNested = aggregation.kind === 'nested';
  // An unmapped path doesn't change the scope of the children.
  const isNowhere = isNested && !binding.compiled.objects.has(aggregation.nestedPath);
  const inside = isNowhere ? nestedPath : pathInside(aggregation, nestedPath);
  const depth = nestedDepth + (isNested ? 1 : 0);
  const bound = bindOwn(aggregation, binding, nestedDepth, nestedPath);
  const aggregations = aggregation.aggregations.map((child) =>
    bindAggregation(child, binding, depth, inside),
  );
  return { ...bound, aggregations };
}

type WithoutChildren<T> = T extends unknown ? Omit<T, 'aggregations'> : never;

function bindOwn(
  aggregation: Aggregation,
  binding: Binding,
  nestedDepth: number,
  nestedPath: string | undefined,
): WithoutChildren<Aggregation<BoundQuery>> {
  const { compiled } = binding;
  switch (aggregation.kind) {
    case 'filter':
      return { ...aggregation, filter: bindPart(aggregation.filter, binding, nestedPath) };
    case 'filters': {
      const filters = aggregation.filters.map(({ key, filter }) => ({
        key,
        filter: bindPart(filter, binding, nestedPath),
      }));
      return { ...aggregation, filters };
    }
    case 'nested':
      // An unmapped path counts nothing; a path of another kind is an error.
      if (
        compiled.objects.has(aggregation.nestedPath) ||
        compiled.fields.has(aggregation.nestedPath)
      )
        assertNestedPath(compiled, aggregation.nestedPath, aggregation.path);
      return aggregation;
    case 'reverse_nested':
      if (nestedDepth === 0)
        throw invalid(
          aggregation.path,
          `reverse_nested at ${aggregation.path} must be inside a nested aggregation`,
        );
      if (aggregation.nestedPath !== undefined)
        assertNestedPath(compiled, aggregation.nestedPath, aggregation.path);
      return aggregation;
    case 'composite':
      checkComposite(aggregation.sources, aggregation.after, binding);
      return aggregation;
    case 'top_hits': {
      const { sort, highlight, ...rest } = aggregation;
      return {
        ...rest,
        ...(sort && {
          sort: sort.map((each) => bindSort(each, binding, nestedPath === undefined)),
        }),
        ...(highlight && { highlight: bindHighlight(highlight, binding, nestedPath) }),
      };
    }
    case 'global':
      return aggregation;
    default:
      checkFieldAggregation(aggregation, binding);
      return aggregation;
  }
}

function checkComposite(
  sources: readonly CompositeSource[],
  after: readonly (JsonScalar | null)[] | undefined,
  { compiled, nowMs }: Binding,
): void {
  sources.forEach((source, position) => {
    const field = compiled.fields.get(source.field);
    const given = after?.[position] ?? undefined;
    if (field === undefined) {
      if (given !== undefined) coerceAfter(source, field, given);
      return;
    }
    assertValues(field, source.path);
    const isFit =
      source.kind === 'terms'
        ? !isGeo(field)
        : source.kind === 'histogram'
          ? isNumberType(field.type) || field.type === 'date'
          : field.type === 'date' || isNumberType(field.type);
    if (!isFit) throw unfitField(field, source.path, source.kind);
    if (source.kind === 'date_histogram') assertDateOptions(source, field);
    const isText = source.kind === 'terms' && /^(keyword|text|ip)$/.test(field.type);
    const isNull = after !== undefined && given === undefined;
    if (
      (isText && given !== undefined && typeof given !== 'string') ||
      (isNull && !source.missingBucket)
    ) {
      throw invalid(
        source.path,
        `Value of "after" for ${source.path} must be ${isText ? 'a string' : 'a value of the field'}, not ${show(given ?? null)}`,
      );
    }
    if (given === undefined) return;
    if (isText) coerceDocValue(field, given, `${source.path}.after`, nowMs);
    else coerceAfter(source, field, given);
  });
}

function checkFieldAggregation(
  aggregation: Extract<Aggregation, { readonly field: string }>,
  { compiled, nowMs }: Binding,
): void {
  const { kind, missing, path } = aggregation;
  const format = 'format' in aggregation ? aggregation.format : undefined;
  const field = compiled.fields.get(aggregation.field);
  if (field === undefined) {
    // Without a field an aggregation of numbers takes a number.
    if (missing !== undefined && NUMERIC_KINDS.has(kind)) {
      coerceMissing(missing, `${path}.missing`);
    }
    if (kind === 'geohash_grid') checkMissingPoint(aggregation);
    if (isDated(aggregation)) checkDateBounds(undefined, aggregation, nowMs);
    if (aggregation.kind === 'range') checkRangeBounds(undefined, aggregation, nowMs);
    return;
  }
  assertValues(field, path);
  if (!isAggregatable(kind, field)) throw unfitField(field, path, kind);
  if (format !== undefined && !isNumberType(field.type) && field.type !== 'date') {
    throw invalid(
      path,
      `format at ${path} needs numbers or dates; ${quote(field.name)} is ${field.type}`,
    );
  }
  const hasDateFormat = field.type === 'date' && format !== undefined;
  const dated = hasDateFormat
    ? { dateFormat: compileDateFormat(format, (text) => invalid(path, text)) }
    : {};
  const isPlain = field.type === 'boolean' && typeof missing === 'number';
  if (field.type === 'geo_point') checkMissingPoint(aggregation);
  else if (missing !== undefined && isNumberType(field.type)) {
    coerceMissing(missing, `${path}.missing`);
  } else if (missing !== undefined && !isGeo(field) && !isPlain) {
    coerceDocValue({ ...field, ...dated }, missing, `${path}.missing`, nowMs);
  }
  if (isDated(aggregation)) {
    assertDateOptions(aggregation, field);
    checkDateBounds(field, aggregation, nowMs);
  }
  if (aggregation.kind === 'range') checkRangeBounds(field, aggregation, nowMs);
  if (aggregation.kind === 'terms') checkTermsFilter(field, aggregation);
}

function checkRangeBounds(
  field: CompiledField | undefined,
  aggregation: RangeAggregation,
  nowMs: number,
): void {
  for (const { from, to } of aggregation.ranges)
    for (const bound of [from, to])
      if (bound !== undefined) coerceRangeBound(aggregation, field, bound, nowMs);
}

function checkDateBounds(
  field: CompiledField | undefined,
  aggregation: DatedAggregation,
  nowMs: number,
): void {
  const read = (bound: JsonScalar | undefined): number | undefined =>
    bound === undefined ? bound : coerceDateBound(aggregation, field, bound, nowMs);
  if (field === undefined && typeof aggregation.missing !== 'number') read(aggregation.missing);
  if (aggregation.kind === 'date_range') {
    for (const { from, to } of aggregation.ranges) for (const bound of [from, to]) read(bound);
    return;
  }
  for (const bounds of [aggregation.extendedBounds, aggregation.hardBounds]) {
    const [min, max] = [bounds?.min, bounds?.max].map(read);
    if (min !== undefined && max !== undefined && min > max) {
      throw invalid(aggregation.path, `Bounds at ${aggregation.path} have min above max`);
    }
  }
}

function checkMissingPoint({ missing, path }: Extract<Aggregation, { field: string }>): void {
  if (missing === undefined || parseMissingPoint(missing) !== undefined) return;
  const expected = 'a point ("lat,lon", WKT or a geohash)';
  throw invalid(
    `${path}.missing`,
    `"missing" at ${path} must be ${expected}, not ${show(missing)}`,
  );
}

type DatedAggregation = DateRangeAggregation | DateHistogramAggregation;

function isDated(aggregation: Aggregation): aggregation is DatedAggregation {
  return aggregation.kind === 'date_range' || aggregation.kind === 'date_histogram';
}

/** Numbers count as milliseconds and booleans as 0 and 1; no date format or current time is involved. */
function assertDateOptions(
  { format, timeZone, path }: Pick<DatedAggregation, 'format' | 'timeZone' | 'path'>,
  { name, type }: CompiledField,
): void {
  if (type === 'date') return;
  for (const [option, given] of Object.entries({ format, time_zone: timeZone })) {
    if (given !== undefined)
      throw invalid(path, `${option} at ${path} needs a date; ${quote(name)} is ${type}`);
  }
}

function isGeo(field: CompiledField): boolean {
  return field.type === 'geo_point' || field.type === 'geo_shape';
}

/** Whether an aggregation supports fields of the type. */
function isAggregatable(kind: Aggregation['kind'], field: CompiledField): boolean {
  const { type } = field;
  switch (kind) {
    case 'missing':
    case 'value_count':
      return true;
    case 'cardinality':
      return type !== 'geo_shape' && type !== 'binary';
    case 'terms':
      return !isGeo(field) && type !== 'binary';
    case 'geohash_grid':
      return isGeo(field);
    case 'median_absolute_deviation':
      return isNumberType(type);
    default:
      return isNumberType(type) || type === 'date' || type === 'boolean';
  }
}

function unfitField(field: CompiledField, path: string, kind: string): Error {
  return invalid(
    path,
    `Aggregation ${kind} at ${path} cannot work on ${quote(field.name)} of type ${field.type}`,
  );
}

function checkTermsFilter(
  field: CompiledField,
  aggregation: Extract<Aggregation, { kind: 'terms' }>,
): void {
  const isText = field.type === 'keyword' || field.type === 'text';
  for (const filter of [aggregation.include, aggregation.exclude]) {
    if (filter?.kind === 'values' && !isText) {
      for (const value of filter.values) {
        coerceDocValue(field, String(value), aggregation.path);
      }
    }
    if (filter?.kind === 'pattern' && !isText) {
      throw invalid(
        aggregation.path,
        `A pattern of terms at ${aggregation.path} needs strings; ${quote(field.name)} is ${field.type}: give a list`,
      );
    }
  }
}
