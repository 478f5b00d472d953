import { compileRegexp } from '../coerce/compileRegexp.js';
import { coerceIndexed } from '../coerce/coerceIndexed.js';
import { formatIp } from '../document/ip.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';
import type { TermsFilter } from '../tree/Aggregation.js';
import type { BoundTermsFilter } from '../tree/BoundAggregation.js';

/** @throws QueryError for values and patterns that don't fit the field */
export function bindTermsFilter(
  filter: TermsFilter | undefined,
  field: CompiledField | undefined,
  path: string,
): BoundTermsFilter | undefined {
  if (filter === undefined || filter.kind === 'partition') return filter;
  const isText = field === undefined || field.type === 'keyword' || field.type === 'text';
  if (filter.kind === 'pattern') {
    if (!isText) {
      throw invalid(
        path,
        `A pattern of terms at ${path} needs strings; ${quote(field.name)} is ${field.type}: give a list`,
      );
    }
    const accepts = compileRegexp(filter.pattern, { flags: 'ALL', caseInsensitive: false, path });
    return { kind: 'pattern', accepts };
  }
  if (isText) return { kind: 'values', keys: new Set(filter.values.map(String)) };
  const keys = filter.values.flatMap((value) => keyOf(field, String(value), path) ?? []);
  return { kind: 'values', keys: new Set(keys) };
}

function keyOf(field: CompiledField, value: string, path: string): string | number | undefined {
  const indexed = coerceIndexed(field, value, path, 0);
  if (field.type === 'boolean') return value;
  return field.type === 'ip' ? formatIp(String(indexed)) : indexed;
}
