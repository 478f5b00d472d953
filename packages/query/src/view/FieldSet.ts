/*
 * Which fields of a document are visible. Paths are those of `_source` filtering: keys joined by dots. An object whose
 * fields are partly visible is dropped if none of its content is left, whether or not there was any: an answer doesn't
 * depend on hidden content.
 */
import type { JsonObject, JsonValue } from '@millrace/language';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import { METADATA_FIELDS } from '../mapping/METADATA_FIELDS.js';

/**
 * The fields that a right on documents covers: names, each with everything below it, and patterns `prefix.*`, which
 * cover everything below the prefix. `both`: the fields that both rules cover.
 */
export type FieldRule =
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] }
  | { readonly both: readonly [FieldRule, FieldRule] };

/** A set of field names. */
export interface FieldSet {
  /** Whether the set contains the field. */
  has(path: string): boolean;
  /** Whether the set may contain some of the fields below a path and not others. */
  splits(path: string): boolean;
}

/**
 * The fields that a rule covers.
 * @param mapping of the collection: a field that a hidden field is copied to is hidden too
 */
export function toFieldSet(rule: FieldRule, mapping: CompiledMapping): FieldSet {
  if ('both' in rule) return intersectionOf(rule.both.map((each) => toFieldSet(each, mapping)));
  const own = new RuleFields(rule);
  const copied = new Set<string>();
  for (const field of mapping.fields.values()) {
    if (own.has(field.name)) continue;
    for (const target of field.copyTo) copied.add(target.name);
    for (const name of mapping.missingCopyTargets.get(field) ?? []) copied.add(name);
  }
  return copied.size === 0 ? own : new FieldsWithout(own, new Entries([...copied]));
}

/** The fields in at least one of the sets. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  return {
    has: (path) => sets.some((set) => set.has(path)),
    splits: (path) => sets.some((set) => set.splits(path)),
  };
}

/** The fields in each of the sets. */
export function intersectionOf(sets: readonly FieldSet[]): FieldSet {
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  return {
    has: (path) => sets.every((set) => set.has(path)),
    splits: (path) => sets.some((set) => set.splits(path)),
  };
}

/** The fields that are not in the set. */
export function complementOf(set: FieldSet): FieldSet {
  return { has: (path) => !set.has(path), splits: (path) => set.splits(path) };
}

/** The part of a document, or of an object at a path in it, that a set covers. */
export function selectFields(source: JsonObject, set: FieldSet, path = ''): JsonObject {
  const prefix = path === '' ? '' : `${path}.`;
  const entries: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(source)) {
    const selected = selectValue(value, prefix + key, set);
    if (selected !== undefined) entries.push([key, selected]);
  }
  // Unlike an assignment, this defines an own property for any key.
  return Object.fromEntries(entries);
}

/** The paths of a document that `selectFields` leaves out, each without those below it. */
export function hiddenPaths(source: JsonObject, set: FieldSet): readonly string[] {
  const paths = new Set<string>();
  const visit = (value: JsonValue, path: string): void => {
    const isSplit = set.splits(path);
    if (isSplit && Array.isArray(value)) return (value as readonly JsonValue[]).forEach((item) => visit(item, path));
    const inside = isSplit && typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (inside.length === 0 && !set.has(path)) paths.add(path);
    for (const [key, item] of inside) visit(item, `${path}.${key}`);
  };
  for (const [key, value] of Object.entries(source)) visit(value, key);
  return [...paths];
}

/**
 * Whether the set contains nothing of what a name stands for: a field, or an object with its fields. Metadata and names
 * that begin with `_` are never hidden.
 */
export function hidesName(set: FieldSet, name: string, mapping: CompiledMapping): boolean {
  if (METADATA_FIELDS.has(name) || name.startsWith('_')) return false;
  if (!mapping.objects.has(name)) return !set.has(name);
  const below = [...mapping.fields.keys()].filter((field) => field.startsWith(`${name}.`));
  return below.length === 0 ? !set.has(name) : !below.some((field) => set.has(field));
}

function selectValue(value: JsonValue, path: string, set: FieldSet): JsonValue | undefined {
  if (!set.splits(path)) return set.has(path) ? value : undefined;
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).flatMap((item) => {
      const selected = selectValue(item, path, set);
      return selected === undefined ? [] : [selected];
    });
    return items.length === 0 ? undefined : items;
  }
  if (typeof value !== 'object' || value === null) return set.has(path) ? value : undefined;
  const selected = selectFields(value as JsonObject, set, path);
  return Object.keys(selected).length === 0 ? undefined : selected;
}

/** Names and patterns of a rule. */
class Entries {
  private readonly names: ReadonlySet<string>;
  /** The paths above the entries. */
  private readonly above = new Set<string>();
  private readonly prefixes: ReadonlySet<string>;

  constructor(entries: readonly string[]) {
    this.names = new Set(entries.filter((entry) => !entry.endsWith('.*')));
    this.prefixes = new Set(entries.filter((entry) => entry.endsWith('.*')).map((entry) => entry.slice(0, -2)));
    for (const entry of entries) for (const path of pathsAbove(entry)) this.above.add(path);
  }

  cover(path: string): boolean {
    if (this.names.has(path)) return true;
    for (const parent of pathsAbove(path)) {
      if (this.names.has(parent) || this.prefixes.has(parent)) return true;
    }
    return false;
  }

  areBelow(path: string): boolean {
    return this.above.has(path);
  }
}

class RuleFields implements FieldSet {
  private readonly entries: Entries;
  private readonly isOnly: boolean;

  constructor(rule: Exclude<FieldRule, { readonly both: unknown }>) {
    this.isOnly = 'only' in rule;
    this.entries = new Entries('only' in rule ? rule.only : rule.except);
  }

  has(path: string): boolean {
    return this.entries.cover(path) === this.isOnly;
  }

  splits(path: string): boolean {
    return this.entries.areBelow(path) && !this.entries.cover(path);
  }
}

class FieldsWithout implements FieldSet {
  constructor(
    private readonly set: FieldSet,
    private readonly hidden: Entries,
  ) {}

  has(path: string): boolean {
    return this.set.has(path) && !this.hidden.cover(path);
  }

  splits(path: string): boolean {
    return this.set.splits(path) || (this.hidden.areBelow(path) && !this.hidden.cover(path));
  }
}

/** `a`, `a.b` of `a.b.c`. */
function* pathsAbove(path: string): Iterable<string> {
  for (let at = path.indexOf('.'); at !== -1; at = path.indexOf('.', at + 1)) yield path.slice(0, at);
}
