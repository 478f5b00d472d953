import { compileDateFormat, type JsonScalar } from '@millrace/language';
import { coerceDateBound } from '../coerce/coerceDateBound.js';
import { coerceMissingValue } from '../coerce/coerceMissingValue.js';
import { coerceRangeBound } from '../coerce/coerceRangeBound.js';
import { isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type {
  Aggregation,
  BucketRange,
  DateHistogramAggregation,
  FieldAggregationBase,
  HistogramBounds,
} from '../tree/Aggregation.js';
import type { BoundRangeSpan, BoundToValues } from '../tree/BoundAggregation.js';
import { assertAggregatable, assertDateOptions } from './assertAggregatable.js';
import type { Binding } from './Binding.js';
import { bindTermsFilter } from './bindTermsFilter.js';

type FieldAggregation = Extract<Aggregation, FieldAggregationBase>;

/** Reads the values of an aggregation over one field. @throws QueryError if they don't fit the field */
export function bindFieldAggregation(aggregation: FieldAggregation, { compiled, nowMs }: Binding) {
  const field = compiled.fields.get(aggregation.field);
  switch (aggregation.kind) {
    case 'terms': {
      const { include, exclude, path } = aggregation;
      return {
        ...onValues(aggregation, field, nowMs),
        includes: bindTermsFilter(include, field, path),
        excludes: bindTermsFilter(exclude, field, path),
      };
    }
    case 'range': {
      const read = (bound: JsonScalar) => coerceRangeBound(aggregation, field, bound, nowMs);
      return { ...onValues(aggregation, field, nowMs), spans: spansOf(aggregation.ranges, read) };
    }
    case 'date_range': {
      const read = (bound: JsonScalar) => coerceDateBound(aggregation, field, bound, nowMs);
      const bound = onValues(aggregation, field, nowMs);
      if (field !== undefined) assertDateOptions(aggregation, field);
      return { ...bound, spans: spansOf(aggregation.ranges, read) };
    }
    case 'date_histogram': {
      const bound = onValues(aggregation, field, nowMs);
      if (field !== undefined) assertDateOptions(aggregation, field);
      const read = (bounds: DateHistogramAggregation['hardBounds']) => readBounds(aggregation, field, bounds, nowMs);
      const extended = read(aggregation.extendedBounds);
      return { ...bound, extended, hard: read(aggregation.hardBounds) };
    }
    default:
      return onValues(aggregation, field, nowMs);
  }
}

function onValues<A extends FieldAggregation>(
  aggregation: A,
  mapped: CompiledField | undefined,
  nowMs: number,
): A & BoundToValues {
  if (mapped !== undefined) {
    assertAggregatable(aggregation, mapped);
    assertFormat(aggregation, mapped);
  }
  return { ...aggregation, mapped, missingValue: coerceMissingValue(aggregation, mapped, nowMs) };
}

function assertFormat(aggregation: FieldAggregation, { name, type }: CompiledField): void {
  if (!('format' in aggregation) || aggregation.format === undefined) return;
  const { format, path } = aggregation;
  if (type === 'date') compileDateFormat(format, (message) => invalid(path, message));
  else if (!isNumberType(type))
    throw invalid(path, `format at ${path} needs numbers or dates; ${quote(name)} is ${type}`);
}

function spansOf(ranges: readonly BucketRange[], read: (bound: JsonScalar) => number): BoundRangeSpan[] {
  return ranges.map(({ key, from, to }) => ({
    key,
    from: from === undefined ? -Infinity : read(from),
    to: to === undefined ? Infinity : read(to),
  }));
}

function readBounds(
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
