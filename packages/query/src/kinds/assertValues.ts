import { invalid } from '../errors.js';
import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';

/** @throws QueryError for a field whose values can't be used for sorting or counting */
export function assertValues(field: CompiledField, path: string): void {
  if (field.hasDocValues) return;
  const why =
    field.type === 'text' ? 'text has no values to sort or count: use a keyword field' : 'it has doc_values: false';
  throw invalid(path, `Field ${quote(field.name)} at ${path} cannot be sorted or aggregated: ${why}`);
}

/** @throws QueryError for a path that is not a nested field */
export function assertNestedPath(compiled: CompiledMapping, nestedPath: string, path: string): void {
  if (compiled.objects.get(nestedPath)?.isNested === true) return;
  throw invalid(path, `Path ${quote(nestedPath)} at ${path} is not a nested field`);
}
