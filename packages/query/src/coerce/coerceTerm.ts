import { compileDateFormat, lowerCase, parseDateMath, type JsonScalar } from '@millrace/language';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { parseCidr, parseIp } from '../mapping/ip.js';
import { isInTypeRange, isIntegerType, toTypePrecision, toDecimal, isNumberType } from '../mapping/numberRange.js';
import { quote, show } from '../show.js';

/*
 * Values of term-level queries, read by the field's type. Engines use these functions, so that both accept and refuse
 * the same values.
 */

/** The format of dates given as numbers. */
export const EPOCH_MILLIS = compileDateFormat('epoch_millis', (message) => new RangeError(message));

/**
 * Meaning of a `term` value for a field: a string (keyword, a token of a text field), a number, a boolean, a range of
 * dates (`2024-02` is its whole first day) or of ip keys (an address, or a network in CIDR), all ends inclusive; or no
 * match (1.5 on an integer field).
 */
export type CoercedTerm =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'dates'; readonly firstMs: number; readonly lastMs: number }
  | { readonly kind: 'ips'; readonly first: string; readonly last: string };

/**
 * Reads the value of a `term` (or each of `terms`) for a field.
 * @param path of the query, for messages
 * @throws QueryError if the field can't have the value or can't be queried
 */
export function coerceTerm(field: CompiledField, value: JsonScalar, path: string, nowMs = 0): CoercedTerm {
  assertSearchable(field, path);
  switch (field.type) {
    case 'text':
      return { kind: 'text', value: String(value) };
    case 'keyword':
      return {
        kind: 'text',
        value: field.isLowerCased ? lowerCase(String(value)) : String(value),
      };
    case 'boolean':
      return { kind: 'boolean', value: coerceBoolean(field, value, path) };
    case 'date': {
      // Numbers are milliseconds whatever the field's format.
      const format = typeof value === 'number' ? EPOCH_MILLIS : field.dateFormat;
      const [firstMs, lastMs] = [false, true].map((roundUp) =>
        parseDateMath(String(value), { format, nowMs, roundUp }),
      );
      if (firstMs === undefined || lastMs === undefined)
        throw unfit(field, value, path, `a date of format ${field.dateFormat.text}`);
      return { kind: 'dates', firstMs, lastMs };
    }
    case 'ip': {
      const network = parseCidr(String(value));
      if (network !== undefined) return { kind: 'ips', ...network };
      const key = coerceIp(field, value, path);
      return { kind: 'ips', first: key, last: key };
    }
    case 'geo_point':
    case 'geo_shape':
    case 'binary':
      throw invalid(path, `Field ${quote(field.name)} of type ${field.type} cannot be searched by value at ${path}`);
    default:
      return coerceNumberTerm(field, value, path);
  }
}

/**
 * Reads a value to compare with the values of a column, such as `missing`, `include` and `after`: the field needn't be
 * indexed.
 * @throws QueryError
 */
function coerceDocValue(field: CompiledField, value: JsonScalar, path: string, nowMs = 0): CoercedTerm {
  return coerceTerm(field.isIndexed ? field : { ...field, isIndexed: true }, value, path, nowMs);
}

function coerceNumberTerm(field: CompiledField, value: JsonScalar, path: string): CoercedTerm {
  const number = coerceNumber(field, value, path);
  const isHeld = isInTypeRange(field.type, number) && !(isIntegerType(field.type) && !Number.isInteger(number));
  if (!isHeld) return { kind: 'none' };
  return { kind: 'number', value: toTypePrecision(field.type, number, field.scalingFactor) };
}

/** @throws QueryError for a field with `index: false` */
export function assertSearchable(field: CompiledField, path: string): void {
  if (field.isIndexed) return;
  throw invalid(path, `Field ${quote(field.name)} is not indexed and cannot be searched (at ${path})`);
}

export function coerceNumber(field: CompiledField, value: JsonScalar, path: string, misfit?: Misfit): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? toDecimal(value) : NaN;
  if (number === number) return number;
  throw unfit(field, value, path, 'a number', misfit);
}

export function coerceBoolean(field: CompiledField, value: JsonScalar, path: string, misfit?: Misfit): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw unfit(field, value, path, 'true or false', misfit);
}

export function coerceIp(field: CompiledField, value: JsonScalar, path: string, misfit?: Misfit): string {
  const key = typeof value === 'string' ? parseIp(value) : undefined;
  if (key !== undefined) return key;
  throw unfit(field, value, path, 'an IPv4 or IPv6 address', misfit);
}

/** The name of an invalid value in messages: a bound makes an invalid range. */
type Misfit = 'value for' | 'range on';

export function unfit(
  field: CompiledField,
  value: JsonScalar,
  path: string,
  expected: string,
  misfit: Misfit = 'value for',
): Error {
  return invalid(path, `Invalid ${misfit} ${quote(field.name)} at ${path}: expected ${expected}, not ${show(value)}`);
}

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

/**
 * A value of a request in the field's indexed form: a number (milliseconds, 0 or 1 for booleans) or a term. Undefined
 * for a value that the field can't have.
 * @throws QueryError
 */
export function coerceIndexed(
  field: CompiledField,
  value: JsonScalar,
  path: string,
  nowMs: number,
): string | number | undefined {
  const term = coerceDocValue(field, value, path, nowMs);
  switch (term.kind) {
    case 'none':
      return undefined;
    case 'text':
    case 'number':
      return term.value;
    case 'boolean':
      return term.value ? 1 : 0;
    case 'dates':
      return term.firstMs;
    case 'ips':
      return term.first;
  }
}
