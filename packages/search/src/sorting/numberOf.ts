import type { JsonValue } from '@millrace/language';
import { Refusal } from '../Refusal.js';

/** A number of `search_after`. */
export function numberOf(value: JsonValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  if (value === true || value === 'true') return 1;
  if (value === false || value === 'false') return 0;
  throw new Refusal(`search_after holds ${JSON.stringify(value)} where its sort criterion needs a number`);
}
