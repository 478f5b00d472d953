import { toDecimal } from '../document/parseDocument.js';
import { invalid } from '../errors.js';
import { show } from '../show.js';
import type { JsonScalar } from '../tree/Json.js';
import { parseDecimal } from './parseDecimal.js';

/**
 * The number that stands for missing ones in an aggregation, whatever the field itself could hold. A text is read by the
 * aggregation's format where it has one.
 * @throws QueryError when it is none
 */
export function coerceMissing(
  missing: JsonScalar,
  format: string | undefined,
  path: string,
): number {
  const number = typeof missing === 'string' ? readText(missing, format) : missing;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw invalid(path, `Invalid value at ${path}: expected a number, not ${show(missing)}`);
}

function readText(text: string, format: string | undefined): number {
  return (format === undefined ? undefined : parseDecimal(format, text)) ?? toDecimal(text);
}
