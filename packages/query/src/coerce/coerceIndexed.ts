import type { JsonScalar } from '@millrace/language';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { coerceDocValue } from './coerceTerm.js';

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
