import type { JsonObject, JsonValue } from '@millrace/language';
import { mergeAnalysis } from '../analysis/parseAnalysis.js';
import { MappingError } from '../errors.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import { checkAnalyzers, checkFields } from './checkFields.js';
import { checkLimits } from './checkLimits.js';
import type { FieldMapping, LeafMapping, LeafType, Mapping, ObjectMapping } from './Mapping.js';

/** Parameters that affect later documents or searches only; the existing index stays valid. */
const UPDATABLE: ReadonlySet<string> = new Set([
  'ignore_above',
  'search_analyzer',
  'search_quote_analyzer',
  'ignore_malformed',
  'coerce',
  'null_value',
  'fielddata',
  'meta',
]);

/**
 * Merges an update into a mapping: fields and multi-fields are added, some parameters change, everything that the
 * update omits is kept. Neither argument is modified.
 * @throws MappingError if a type, analyzer or other fixed parameter would change, or a limit is exceeded
 */
export function mergeMapping(base: Mapping, update: Mapping): Mapping {
  const merged: Mapping = {
    ...present({
      dynamic: update.dynamic ?? base.dynamic,
      dateDetection: update.dateDetection ?? base.dateDetection,
      numericDetection: update.numericDetection ?? base.numericDetection,
      dynamicDateFormats: update.dynamicDateFormats ?? base.dynamicDateFormats,
      analysis: mergeAnalysis(base.analysis, update.analysis),
    }),
    properties: mergeProperties(base.properties, update.properties, 'properties'),
  };
  checkLimits(merged);
  checkFields(merged);
  checkAnalyzers(merged);
  return merged;
}

function mergeProperties<Field extends FieldMapping>(
  base: ReadonlyMap<string, Field>,
  update: ReadonlyMap<string, Field>,
  path: string,
): ReadonlyMap<string, Field> {
  if (update.size === 0) return base;
  const merged = new Map(base);
  for (const [name, field] of update) {
    const known = base.get(name);
    const next = known === undefined ? field : mergeField(known, field, `${path}.${name}`);
    // A leaf merges with leaves only and an object with objects only.
    merged.set(name, next as Field);
  }
  return merged;
}

/** Merges two definitions of one field. @param path of the field, for messages */
export function mergeField(base: FieldMapping, update: FieldMapping, path: string): FieldMapping {
  if (base.kind === 'leaf' && update.kind === 'leaf') return mergeLeaf(base, update, path);
  if (base.kind === 'object' && update.kind === 'object') return mergeObject(base, update, path);
  throw new MappingError(path, `Field at ${path} cannot change from ${typeOf(base)} to ${typeOf(update)}`);
}

function typeOf(field: FieldMapping): string {
  if (field.kind === 'leaf') return field.type;
  return field.isNested ? 'nested' : 'object';
}

function mergeObject(base: ObjectMapping, update: ObjectMapping, path: string): ObjectMapping {
  // An update that only names sub-fields of a nested object may omit its type.
  if (base.isNested !== update.isNested && update.isNested) {
    throw new MappingError(path, `Field at ${path} cannot change from object to nested`);
  }
  const keep = (name: string, before: boolean | undefined, after: boolean | undefined, byDefault: boolean) => {
    if (after !== undefined && after !== (before ?? byDefault)) {
      throw new MappingError(`${path}.${name}`, `${quote(name)} of the field at ${path} cannot change`);
    }
    return before ?? after;
  };
  return {
    kind: 'object',
    isNested: base.isNested,
    ...present({
      dynamic: update.dynamic ?? base.dynamic,
      enabled: keep('enabled', base.enabled, update.enabled, true),
      includeInParent: keep('include_in_parent', base.includeInParent, update.includeInParent, false),
      includeInRoot: keep('include_in_root', base.includeInRoot, update.includeInRoot, false),
    }),
    properties: mergeProperties(base.properties, update.properties, `${path}.properties`),
  };
}

function mergeLeaf(base: LeafMapping, update: LeafMapping, path: string): LeafMapping {
  if (base.type !== update.type) {
    throw new MappingError(
      `${path}.type`,
      `Type of the field at ${path} cannot change from ${base.type} to ${update.type}`,
    );
  }
  for (const [name, value] of Object.entries(update.parameters)) {
    if (UPDATABLE.has(name)) continue;
    const before = effective(base.type, base.parameters, name);
    const isNormsOff = name === 'norms' && value === false;
    if (before !== value && !isNormsOff) {
      throw new MappingError(
        `${path}.${name}`,
        `${quote(name)} of the field at ${path} cannot change from ${show(before)} to ${show(value)}`,
      );
    }
  }
  return {
    kind: 'leaf',
    type: base.type,
    parameters: { ...base.parameters, ...update.parameters },
    copyTo: update.copyTo.length === 0 ? base.copyTo : update.copyTo,
    fields: mergeProperties(base.fields, update.fields, `${path}.fields`),
  };
}

const DEFAULTS: Readonly<Record<string, JsonValue>> = {
  index: true,
  doc_values: true,
  store: false,
  analyzer: 'standard',
  term_vector: 'no',
  position_increment_gap: 100,
  format: 'strict_date_optional_time||epoch_millis',
  ignore_z_value: true,
  orientation: 'right',
};

function effective(type: LeafType, parameters: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name];
  if (name === 'norms') return type === 'text';
  if (name === 'index_options') return type === 'text' ? 'positions' : 'docs';
  if (name === 'doc_values') return type !== 'binary';
  return DEFAULTS[name];
}
