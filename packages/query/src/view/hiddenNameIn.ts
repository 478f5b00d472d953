import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { FieldRule } from './FieldRule.js';
import { hidesName } from './FieldSet.js';
import { namesIn, type NamedField } from './namesIn.js';
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
