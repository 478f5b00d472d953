import { compileDateFormat, type JsonScalar } from '@millrace/language';
import { isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import { parseMissingPoint } from '../geo/parseMissingPoint.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
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
import { coerceAfter } from './coerceAfter.js';
import { coerceDateBound } from './coerceDateBound.js';
import { coerceRangeBound } from './coerceRangeBound.js';
import { coerceMissing } from './coerceMissing.js';
import { coerceDocValue } from './coerceTerm.js';
import { pathInside } from '../tree/pathInside.js';
import type { QueryChecker } from './QueryChecker.js';
import type { SortChecker } from './SortChecker.js';

const NUMERIC_KINDS: ReadonlySet<string> = new Set([
  'min', 'max', 'avg', 'sum', 'stats', 'extended_stats', 'percentiles', 'median_absolute_deviation', 'histogram', 'range',
]); // prettier-ignore

/** Checks aggregations against a mapping. */
export class AggregationChecker {
  constructor(
    private readonly compiled: CompiledMapping,
    private readonly nowMs: number,
    private readonly queries: QueryChecker,
    private readonly sorts: SortChecker,
  ) {}

  /**
   * @param nestedDepth number of enclosing `nested` aggregations
   * @param nestedPath the nested field whose objects are aggregated
   * @throws QueryError
   */
  check(aggregation: Aggregation, nestedDepth = 0, nestedPath?: string): void {
    let depth = nestedDepth;
    switch (aggregation.kind) {
      case 'filter':
        this.queries.check(aggregation.filter, nestedPath);
        break;
      case 'filters':
        for (const { filter } of aggregation.filters) this.queries.check(filter, nestedPath);
        break;
      case 'nested':
        // An unmapped path counts nothing; a path of another kind is an error.
        if (
          this.compiled.objects.has(aggregation.nestedPath) ||
          this.compiled.fields.has(aggregation.nestedPath)
        ) {
          assertNestedPath(this.compiled, aggregation.nestedPath, aggregation.path);
        }
        depth += 1;
        break;
      case 'reverse_nested':
        if (depth === 0)
          throw invalid(
            aggregation.path,
            `reverse_nested at ${aggregation.path} must be inside a nested aggregation`,
          );
        if (aggregation.nestedPath !== undefined)
          assertNestedPath(this.compiled, aggregation.nestedPath, aggregation.path);
        break;
      case 'composite':
        this.checkComposite(aggregation.sources, aggregation.after);
        break;
      case 'top_hits':
        for (const sort of aggregation.sort ?? []) this.sorts.check(sort, nestedPath === undefined);
        break;
      case 'global':
        break;
      default:
        this.checkFieldAggregation(aggregation);
    }
    // An unmapped path doesn't change the scope of the children.
    const isNowhere =
      aggregation.kind === 'nested' && !this.compiled.objects.has(aggregation.nestedPath);
    const path = isNowhere ? nestedPath : pathInside(aggregation, nestedPath);
    for (const child of aggregation.aggregations) this.check(child, depth, path);
  }

  private checkComposite(
    sources: readonly CompositeSource[],
    after: readonly (JsonScalar | null)[] | undefined,
  ): void {
    sources.forEach((source, position) => {
      const field = this.compiled.fields.get(source.field);
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
      if (isText) coerceDocValue(field, given, `${source.path}.after`, this.nowMs);
      else coerceAfter(source, field, given);
    });
  }

  private checkFieldAggregation(
    aggregation: Extract<Aggregation, { readonly field: string }>,
  ): void {
    const { kind, missing, path } = aggregation;
    const format = 'format' in aggregation ? aggregation.format : undefined;
    const field = this.compiled.fields.get(aggregation.field);
    if (field === undefined) {
      // Without a field an aggregation of numbers takes a number.
      if (missing !== undefined && NUMERIC_KINDS.has(kind)) {
        coerceMissing(missing, `${path}.missing`);
      }
      if (kind === 'geohash_grid') checkMissingPoint(aggregation);
      if (isDated(aggregation)) this.checkDateBounds(undefined, aggregation);
      if (aggregation.kind === 'range') this.checkRangeBounds(undefined, aggregation);
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
      coerceDocValue({ ...field, ...dated }, missing, `${path}.missing`, this.nowMs);
    }
    if (isDated(aggregation)) {
      assertDateOptions(aggregation, field);
      this.checkDateBounds(field, aggregation);
    }
    if (aggregation.kind === 'range') this.checkRangeBounds(field, aggregation);
    if (aggregation.kind === 'terms') checkTermsFilter(field, aggregation);
  }

  private checkRangeBounds(field: CompiledField | undefined, aggregation: RangeAggregation): void {
    for (const { from, to } of aggregation.ranges)
      for (const bound of [from, to])
        if (bound !== undefined) coerceRangeBound(aggregation, field, bound, this.nowMs);
  }

  private checkDateBounds(field: CompiledField | undefined, aggregation: DatedAggregation): void {
    const read = (bound: JsonScalar | undefined): number | undefined =>
      bound === undefined ? bound : coerceDateBound(aggregation, field, bound, this.nowMs);
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
