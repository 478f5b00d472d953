import type { CompiledField, CompiledMapping } from '../mapping/CompiledMapping.js';
import { METADATA_FIELDS } from '../mapping/METADATA_FIELDS.js';
import { intersectionOf, toFieldSet, type FieldRule, type FieldSet } from './FieldSet.js';

const MAX_KEPT = 100;
const narrowed = new WeakMap<CompiledMapping, Map<string, CompiledMapping>>();

/** The fields that each rule covers; null: all. */
export function visibleFields(rules: readonly FieldRule[], compiled: CompiledMapping): FieldSet | null {
  return rules.length === 0 ? null : intersectionOf(rules.map((rule) => toFieldSet(rule, compiled)));
}

/** The mapping for requests that may not see other fields than those of the rules: the others are not mapped. */
export function narrowFields(compiled: CompiledMapping, rules: readonly FieldRule[]): CompiledMapping {
  const visible = visibleFields(rules, compiled);
  if (visible === null) return compiled;
  const kept = narrowed.get(compiled) ?? new Map<string, CompiledMapping>();
  narrowed.set(compiled, kept);
  const key = JSON.stringify(rules);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const isVisible = (name: string) => METADATA_FIELDS.has(name) || visible.has(name);
  const fields = new Map<string, CompiledField>();
  for (const [name, field] of compiled.fields) if (isVisible(name)) fields.set(name, field);
  const view = { ...compiled, fields };
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, view);
  return view;
}
