import type { JsonScalar } from '@millrace/language';
import { toDecimal } from '../document/parseDocument.js';
import { invalid } from '../errors.js';
import { show } from '../show.js';

/**
 * The number that `missing` of an aggregation substitutes for absent values, regardless of the field's precision.
 * @throws QueryError if it isn't a finite number
 */
export function coerceMissing(missing: JsonScalar, path: string): number {
  const number = typeof missing === 'string' ? toDecimal(missing) : missing;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw invalid(path, `Invalid value at ${path}: expected a number, not ${show(missing)}`);
}
