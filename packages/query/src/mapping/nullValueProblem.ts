import { compileDateFormat, DEFAULT_DATE_FORMAT, type JsonObject, type JsonScalar, own } from '@millrace/language';
import { parseIp } from '../document/ip.js';
import { isIntegerType, isNumberType, isWithinType } from '../document/numberRange.js';
import { toDecimal } from '../document/parseDocument.js';
import { MappingError } from '../errors.js';
import type { LeafType } from './Mapping.js';

/**
 * The expected form of a `null_value` for its field; undefined if it is valid. It replaces null in documents, so an
 * invalid one would make every null fail.
 */
export function nullValueProblem(type: LeafType, value: JsonScalar, parameters: JsonObject): string | undefined {
  if (isNumberType(type)) return isNumber(type, value) ? undefined : `a number of type ${type}`;
  if (type === 'date') {
    const given = own(parameters, 'format');
    const format = compileDateFormat(
      typeof given === 'string' ? given : DEFAULT_DATE_FORMAT,
      (message) => new MappingError('', message),
    );
    const isDate = typeof value !== 'boolean' && format.parse(String(value)) !== undefined;
    return isDate ? undefined : `a date of format ${format.text}`;
  }
  if (type === 'ip') {
    const isIp = typeof value === 'string' && parseIp(value) !== undefined;
    return isIp ? undefined : 'an IPv4 or IPv6 address';
  }
  return undefined;
}

function isNumber(type: LeafType, value: JsonScalar): boolean {
  if (typeof value === 'boolean') return false;
  const number = typeof value === 'string' ? toDecimal(value) : value;
  return isWithinType(type, number) && (!isIntegerType(type) || Number.isInteger(number));
}
