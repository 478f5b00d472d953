/* What aggregations over the values of a field share. */
import { compileDateFormat, type JsonScalar } from '@millrace/language';
import { assertValues } from '../kinds/assertValues.js';
import { coerceMissingValue } from '../coerce/coerceMissingValue.js';
import { isNumberType } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import type { Options } from '../parse/Options.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type { Aggregation, AggregationBase, FieldAggregationBase } from '../tree/Aggregation.js';
import type { BoundToValues } from '../tree/BoundAggregation.js';
import type { AggregationPlace } from './AggregationKind.js';

/** `field` (required) and `missing`. */
export function readField(options: Options, base: AggregationBase): FieldAggregationBase {
  // With a script no field is needed: report the script, not the missing field.
  if (!options.has('field') && options.has('script')) options.end();
  const field = options.text('field') ?? options.fail('field', 'a field name');
  return {
    ...base,
    field: checkFieldName(field, options.path),
    ...present({ missing: options.scalar('missing') }),
  };
}

type FieldAggregation = Extract<Aggregation, FieldAggregationBase>;

/** Binds aggregations over a field. @param fits whether they can use the values of a field */
export function valuesBinder(
  fits: (field: CompiledField) => boolean,
): <A extends FieldAggregation>(aggregation: A, place: AggregationPlace) => A & BoundToValues {
  return (aggregation, { binding: { compiled, nowMs } }) => {
    const { field, kind, path } = aggregation;
    const mapped = compiled.fields.get(field);
    if (mapped !== undefined) {
      assertValues(mapped, path);
      if (!fits(mapped)) throw unfitField(mapped, path, kind);
      assertFormat(aggregation, mapped);
    }
    return { ...aggregation, mapped, missingValue: coerceMissingValue(aggregation, mapped, nowMs) };
  };
}

/** Whether a field has numbers: dates count as milliseconds, booleans as 0 and 1. */
export function hasNumbers({ type }: CompiledField): boolean {
  return isNumberType(type) || type === 'date' || type === 'boolean';
}

export function isGeo({ type }: CompiledField): boolean {
  return type === 'geo_point' || type === 'geo_shape';
}

/** The refusal of an aggregation, or a source of `composite`, on a field of this type. */
export function unfitField(field: CompiledField, path: string, kind: string): Error {
  return invalid(path, `Aggregation ${kind} at ${path} cannot work on ${quote(field.name)} of type ${field.type}`);
}

function assertFormat(aggregation: FieldAggregation, { name, type }: CompiledField): void {
  if (!('format' in aggregation) || aggregation.format === undefined) return;
  const { format, path } = aggregation;
  if (type === 'date') compileDateFormat(format, (message) => invalid(path, message));
  else if (!isNumberType(type))
    throw invalid(path, `format at ${path} needs numbers or dates; ${quote(name)} is ${type}`);
}

/**
 * Numbers count as milliseconds and booleans as 0 and 1; no date format or time zone is involved.
 * @throws QueryError if one is given
 */
export function assertDateOptions(
  { format, timeZone, path }: { readonly format?: string; readonly timeZone?: string; path: string },
  field: CompiledField | undefined,
): void {
  if (field === undefined || field.type === 'date') return;
  for (const [option, given] of Object.entries({ format, time_zone: timeZone })) {
    if (given !== undefined)
      throw invalid(path, `${option} at ${path} needs a date; ${quote(field.name)} is ${field.type}`);
  }
}

/** Their keys sort as the results show them. */
const KEYED: ReadonlySet<string> = new Set([
  'keyword',
  'boolean',
  'date',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'half_float',
]);

export function isKeyed(field: CompiledField | undefined): boolean {
  return field !== undefined && KEYED.has(field.type);
}

/** Why results change while documents stay the same: a bound is `now`. Null if they don't. */
export function namesNow(values: readonly (JsonScalar | undefined)[]): string | null {
  const isNow = values.some((value) => typeof value === 'string' && value.startsWith('now'));
  return isNow ? 'the current time changes although the documents do not' : null;
}
