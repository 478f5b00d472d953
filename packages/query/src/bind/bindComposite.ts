import type { JsonScalar } from '@millrace/language';
import { coerceAfter } from '../coerce/coerceAfter.js';
import { coerceIndexed } from '../coerce/coerceIndexed.js';
import { isNumberType } from '../document/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { show } from '../show.js';
import type { CompositeAggregation, CompositeSource } from '../tree/Aggregation.js';
import { assertDateOptions, isGeo, unfitField } from './assertAggregatable.js';
import { assertValues } from './assertValues.js';
import type { Binding } from './Binding.js';

/** Reads the fields and `after` of `composite`. @throws QueryError if they don't fit each other */
export function bindComposite(aggregation: CompositeAggregation, { compiled, nowMs }: Binding) {
  const sources = aggregation.sources.map((source) => {
    const mapped = compiled.fields.get(source.field);
    if (mapped !== undefined) assertSource(source, mapped);
    return { ...source, mapped };
  });
  const afterValues = aggregation.after?.map((value, at) => {
    const source = sources[at];
    return source === undefined ? null : bindAfter(source, source.mapped, value, nowMs);
  });
  return { ...aggregation, sources, afterValues };
}

function assertSource(source: CompositeSource, field: CompiledField): void {
  assertValues(field, source.path);
  const isNumeric = isNumberType(field.type) || field.type === 'date';
  const isFit = source.kind === 'terms' ? !isGeo(field) : isNumeric;
  if (!isFit) throw unfitField(field, source.path, source.kind);
  if (source.kind === 'date_histogram') assertDateOptions(source, field);
}

function bindAfter(
  source: CompositeSource,
  field: CompiledField | undefined,
  value: JsonScalar | null,
  nowMs: number,
): number | string | null {
  if (field === undefined) return value === null ? null : coerceAfter(source, field, value);
  const isText = source.kind === 'terms' && /^(keyword|text|ip)$/.test(field.type);
  if (value === null ? !source.missingBucket : isText && typeof value !== 'string') {
    throw invalid(
      source.path,
      `Value of "after" for ${source.path} must be ${isText ? 'a string' : 'a value of the field'}, not ${show(value)}`,
    );
  }
  if (value === null) return null;
  if (!isText) return coerceAfter(source, field, value);
  // A normalizer doesn't apply to the value.
  if (field.type !== 'ip') return String(value);
  return String(coerceIndexed(field, value, `${source.path}.after`, nowMs));
}
