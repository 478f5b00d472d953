import type { JsonScalar } from '@millrace/language';
import { isInTypeRange, isIntegerType, isNumberType } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { show } from '../show.js';
import { coerceTerm, type CoercedTerm } from './coerceTerm.js';

/** As `coerceTerm`. @throws QueryError also for a number beyond the range of the field's type */
export function coerceHeldTerm(field: CompiledField, value: JsonScalar, path: string, nowMs: number): CoercedTerm {
  const term = coerceTerm(field, value, path, nowMs);
  if (!isNumberType(field.type)) return term;
  const number = Number(value);
  // A byte or a short is compared as an integer.
  const type = field.type === 'byte' || field.type === 'short' ? 'integer' : field.type;
  if (isInTypeRange(type, number) || (isIntegerType(type) && !Number.isInteger(number))) return term;
  throw invalid(path, `Value ${show(value)} at ${path} is out of range for ${field.type}`);
}
