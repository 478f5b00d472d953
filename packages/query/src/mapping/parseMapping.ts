import { compileDateFormat, isJsonObject, type JsonObject, type JsonValue, own } from '@millrace/language';
import { parseSettings } from '../analysis/parseAnalysis.js';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';
import { checkLimits } from './checkLimits.js';
import type { Dynamic, FieldMapping, Mapping, ObjectMapping } from './Mapping.js';
import { mergeField } from './mergeMapping.js';
import { readLeaf } from './readLeaf.js';
import { splitName } from './splitName.js';

/** Guards against deep bodies; `checkLimits` names the actual limit. */
const MAX_PARSE_DEPTH = 64;

/**
 * Parses a mapping body (SEARCH-40), legacy forms included. Absent or null: an empty mapping.
 * @throws MappingError
 */
export function parseMapping(body: JsonValue | undefined): Mapping {
  if (body === undefined || body === null) return { properties: new Map() };
  if (!isJsonObject(body)) throw new MappingError('', `A mapping must be an object, not ${show(body)}`);
  let mapping: Mapping = { properties: new Map() };
  for (const [key, value] of Object.entries(body)) {
    if (key === '_all' || key === 'include_in_all') continue;
    if (value === null) continue;
    mapping = { ...mapping, ...readRootKey(key, value) };
  }
  for (const name of mapping.properties.keys()) {
    if (name.startsWith('_')) {
      throw new MappingError(
        `properties.${name}`,
        `Field name ${quote(name)} must not begin with "_" on the top level`,
      );
    }
  }
  checkLimits(mapping);
  return mapping;
}

function readRootKey(key: string, value: JsonValue): Partial<Mapping> {
  switch (key) {
    case 'properties':
      return { properties: readProperties(value, 'properties', 1) };
    case 'dynamic':
      return { dynamic: readDynamic(value, 'dynamic') };
    case 'date_detection':
      return { dateDetection: readBoolean(value, key) };
    case 'numeric_detection':
      return { numericDetection: readBoolean(value, key) };
    case 'settings':
      return { analysis: parseSettings(value) };
    case 'dynamic_date_formats':
      return { dynamicDateFormats: readFormats(value, key) };
    default:
      throw new MappingError(key, `Unknown key ${quote(key)} in the mapping`);
  }
}

function readBoolean(value: JsonValue, path: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new MappingError(path, `${path} must be true or false, not ${show(value)}`);
}

function readDynamic(value: JsonValue, path: string): Dynamic {
  if (value === 'strict') return value;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new MappingError(path, `${path} must be true, false or "strict", not ${show(value)}`);
}

function readFormats(value: JsonValue, path: string): readonly string[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (typeof item !== 'string') throw new MappingError(path, `${path} must be a list of date formats`);
    compileDateFormat(item, (message) => new MappingError(path, `${message} at ${path}`));
    return item;
  });
}

function readProperties(value: JsonValue, path: string, depth: number): ReadonlyMap<string, FieldMapping> {
  if (!isJsonObject(value)) throw new MappingError(path, `${path} must be an object of fields, not ${show(value)}`);
  if (depth > MAX_PARSE_DEPTH) throw new MappingError(path, 'The mapping is nested too deeply');
  const properties = new Map<string, FieldMapping>();
  for (const [name, definition] of Object.entries(value)) {
    const place = `${path}.${name}`;
    const segments = splitName(name, place);
    if (depth + segments.length > MAX_PARSE_DEPTH) throw new MappingError(place, 'The mapping is nested too deeply');
    const [first = name, ...others] = segments;
    // "a.b" is the field b of the object a.
    const field = others.reduceRight<FieldMapping>(
      (inner, segment) => ({
        kind: 'object',
        isNested: false,
        properties: new Map([[segment, inner]]),
      }),
      readField(definition, place, depth),
    );
    const known = properties.get(first);
    properties.set(first, known === undefined ? field : mergeField(known, field, place));
  }
  return properties;
}

function readField(value: JsonValue, path: string, depth: number): FieldMapping {
  if (!isJsonObject(value)) throw new MappingError(path, `Field at ${path} must be an object, not ${show(value)}`);
  const type = own(value, 'type');
  if (type === undefined || type === 'object' || type === 'nested') {
    const isObject =
      type !== undefined || ['properties', 'dynamic', 'enabled'].some((key) => Object.hasOwn(value, key));
    if (!isObject) throw new MappingError(path, `Field at ${path} has no type`);
    return readObject(value, type === 'nested', path, depth);
  }
  return readLeaf(value, type, path, true);
}

function readObject(value: JsonObject, isNested: boolean, path: string, depth: number): ObjectMapping {
  let object: ObjectMapping = { kind: 'object', isNested, properties: new Map() };
  for (const [key, option] of Object.entries(value)) {
    const place = `${path}.${key}`;
    if (key === 'type' || key === 'include_in_all' || key === 'path') continue;
    if (key === 'properties') object = { ...object, properties: readProperties(option, place, depth + 1) };
    else if (key === 'dynamic') object = { ...object, dynamic: readDynamic(option, place) };
    else if (key === 'enabled' && !isNested) object = { ...object, enabled: readBoolean(option, place) };
    else if (key === 'include_in_parent' && isNested)
      object = { ...object, includeInParent: readBoolean(option, place) };
    else if (key === 'include_in_root' && isNested) object = { ...object, includeInRoot: readBoolean(option, place) };
    else
      throw new MappingError(
        place,
        `Unknown parameter ${quote(key)} of ${isNested ? 'nested' : 'object'} field at ${path}`,
      );
  }
  return object;
}
