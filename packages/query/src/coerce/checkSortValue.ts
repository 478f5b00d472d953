/*
 * The values `missing` and `search_after` of a sort. They are parsed by the kind of the sort's values, not by the
 * field's format, so a date in `missing` is a number of milliseconds.
 */
import { type JsonScalar, type JsonValue, parseDateMath } from '@millrace/language';
import { parseIp } from '../mapping/ip.js';
import { isIntegerType, toDecimal } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { dateFormatOf } from './dateFormatOf.js';
import { show } from '../show.js';
import type { FieldSort, Sort } from '../tree/Sort.js';

/** `missing` of a field sort. @throws QueryError */
export function checkMissing(
  field: Pick<CompiledField, 'type'>,
  value: JsonScalar,
  { path: sortPath, numericType }: Pick<FieldSort, 'path' | 'numericType'>,
): void {
  const path = `${sortPath}.missing`;
  if (field.type === 'ip') return checkIp(value, path);
  if (field.type === 'keyword' || field.type === 'text') return;
  const isWhole =
    numericType === undefined
      ? isIntegerType(field.type) || field.type === 'date' || field.type === 'boolean'
      : numericType !== 'double';
  const isFit =
    typeof value === 'number' ||
    (typeof value === 'string' && (isWhole ? /^[+-]?\d{1,19}$/.test(value) : !Number.isNaN(toDecimal(value))));
  if (isFit) return;
  throw invalid(path, `Invalid "missing" at ${sortPath}: expected a number, not ${show(value)}`);
}

/** One value of `search_after`. @throws QueryError */
export function checkSearchAfter(
  sort: Sort,
  value: JsonValue,
  compiled: CompiledMapping,
  { path, nowMs }: { readonly path: string; readonly nowMs: number },
): void {
  if (sort.kind === 'id') return;
  const field = sort.kind === 'field' ? compiled.fields.get(sort.field) : undefined;
  // Only terms may be null: a missing number is returned as the smallest or largest number.
  const type = sort.kind === 'field' && sort.numericType !== 'double' ? (field?.type ?? sort.unmappedType) : 'double';
  switch (type) {
    case undefined:
    case 'keyword':
    case 'text':
      return;
    case 'ip':
      return value === null ? undefined : checkIp(value, path);
    case 'boolean':
      if (typeof value === 'number' || typeof value === 'boolean') return;
      if (value === 'true' || value === 'false') return;
      break;
    case 'date':
      if (typeof value === 'number') return;
      if (typeof value === 'string' && isDate(value, sort, field, nowMs)) return;
      break;
    default:
      if (typeof value === 'number' || isNumberText(value)) return;
  }
  throw invalid(path, `${path} must be a value of type ${type}, not ${show(value)}`);
}

function isDate(text: string, sort: Sort, field: CompiledField | undefined, nowMs: number): boolean {
  const format = dateFormatOf(field, sort.kind === 'field' ? sort.format : undefined, sort.path);
  return parseDateMath(text, { format, nowMs }) !== undefined;
}

/** Includes the values that hits return for missing ones. */
function isNumberText(value: JsonValue): boolean {
  return typeof value === 'string' && (!Number.isNaN(toDecimal(value)) || /^-?Infinity$/.test(value));
}

function checkIp(value: JsonValue, path: string): void {
  if (typeof value === 'string' && parseIp(value) !== undefined) return;
  throw invalid(path, `${path} must be an IPv4 or IPv6 address, not ${show(value)}`);
}
