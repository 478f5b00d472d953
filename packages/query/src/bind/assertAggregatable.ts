import { isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type { Aggregation } from '../tree/Aggregation.js';
import { assertValues } from './assertValues.js';

/** @throws QueryError for a field whose values the aggregation can't use */
export function assertAggregatable({ kind, path }: Pick<Aggregation, 'kind' | 'path'>, field: CompiledField): void {
  assertValues(field, path);
  if (!isAggregatable(kind, field)) throw unfitField(field, path, kind);
}

/** The refusal of an aggregation, or a source of `composite`, on a field of this type. */
export function unfitField(field: CompiledField, path: string, kind: string): Error {
  return invalid(path, `Aggregation ${kind} at ${path} cannot work on ${quote(field.name)} of type ${field.type}`);
}

/**
 * Numbers count as milliseconds and booleans as 0 and 1; no date format or time zone is involved.
 * @throws QueryError if one is given
 */
export function assertDateOptions(
  { format, timeZone, path }: { readonly format?: string; readonly timeZone?: string; path: string },
  { name, type }: CompiledField,
): void {
  if (type === 'date') return;
  for (const [option, given] of Object.entries({ format, time_zone: timeZone })) {
    if (given !== undefined) throw invalid(path, `${option} at ${path} needs a date; ${quote(name)} is ${type}`);
  }
}

export function isGeo(field: CompiledField): boolean {
  return field.type === 'geo_point' || field.type === 'geo_shape';
}

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
