import { invalid } from '../errors.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import { quote } from '../show.js';

/** @throws QueryError for a path that is not a nested field */
export function assertNestedPath(compiled: CompiledMapping, nestedPath: string, path: string): void {
  if (compiled.objects.get(nestedPath)?.isNested === true) return;
  throw invalid(path, `Path ${quote(nestedPath)} at ${path} is not a nested field`);
}
