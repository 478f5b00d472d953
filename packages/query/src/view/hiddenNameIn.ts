import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import { hidesName, type FieldRule } from './FieldSet.js';
import { visibleFields } from './narrowFields.js';

/**
 * The first field that a parsed query, search or filter names although some rule doesn't show it; undefined: there is
 * none.
 */
export function hiddenNameIn(
  parsed: object,
  rules: readonly FieldRule[],
  mapping: CompiledMapping,
): NamedField | undefined {
  const visible = visibleFields(rules, mapping);
  if (visible === null) return undefined;
  return namesIn(parsed).find(({ field }) => hidesName(visible, field, mapping));
}

/** A field that a request names exactly, and its position in the request. */
interface NamedField {
  readonly field: string;
  readonly path: string;
}

/** Keys of values that contain JSON of the caller, or the caller's own names. */
const SKIPPED: ReadonlySet<string> = new Set(['meta', 'searchAfter', 'view', 'shape']);

/** The fields that a parsed query or search names exactly. Patterns and requests without fields name none. */
function namesIn(parsed: object, path = ''): readonly NamedField[] {
  const names: NamedField[] = [];
  visit(parsed, path, names);
  return names;
}

function visit(node: object, outer: string, names: NamedField[]): void {
  const own = (node as { readonly path?: unknown }).path;
  const path = typeof own === 'string' ? own : outer;
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (SKIPPED.has(key)) continue;
    if (typeof value === 'string') {
      if (key === 'field' || key === 'nestedPath') add(value, path, names);
    } else if (key === 'source' && isSourceFilter(value)) {
      for (const pattern of [...value.includes, ...value.excludes]) add(pattern, '_source', names);
    } else if (typeof value === 'object' && value !== null) visit(value, path, names);
  }
}

function add(field: string, path: string, names: NamedField[]): void {
  if (!field.includes('*')) names.push({ field, path });
}

function isSourceFilter(
  value: unknown,
): value is { readonly includes: readonly string[]; readonly excludes: readonly string[] } {
  return typeof value === 'object' && value !== null && 'includes' in value;
}
