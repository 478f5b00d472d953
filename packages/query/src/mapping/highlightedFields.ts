import type { CompiledMapping } from './CompiledMapping.js';
import { resolveFieldPattern } from './resolveFieldPattern.js';

/** The fields that a name or pattern of `highlight` refers to. */
export function highlightedFields(field: string, compiled: CompiledMapping): readonly string[] {
  if (!field.includes('*')) return [field];
  return resolveFieldPattern(compiled, field)
    .filter(({ type }) => type === 'text' || type === 'keyword')
    .map(({ name }) => name);
}
