import {
  compileDateFormat,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
} from '@millrace/language';
import { parseSettings } from '../analysis/parseAnalysis.js';
import { MappingError } from '../errors.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import { checkLimits } from './checkLimits.js';
import { LEAF_TYPES, type Dynamic, type FieldMapping, type LeafMapping, type LeafType, type Mapping, type ObjectMapping } from './Mapping.js'; // prettier-ignore
import { mergeField } from './mergeMapping.js';
import { isDroppedParameter, PARAMETER_RULES } from './parameterRules.js';

const MAX_NAME_LENGTH = 512;
/** Guards against deep bodies; `checkLimits` names the actual limit. */
const MAX_PARSE_DEPTH = 64;

/**
 * Parses a mapping body (SEARCH-40), legacy forms included. Absent or null: an empty mapping.
 * @throws MappingError
 */
export function parseMapping(body: JsonValue | undefined): Mapping {
  if (body === undefined || body === null) return { properties: new Map() };
  if (!isJsonObject(body))
    throw new MappingError('', `A mapping must be an object, not ${show(body)}`);
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
    if (typeof item !== 'string')
      throw new MappingError(path, `${path} must be a list of date formats`);
    compileDateFormat(item, (message) => new MappingError(path, `${message} at ${path}`));
    return item;
  });
}

function readProperties(
  value: JsonValue,
  path: string,
  depth: number,
): ReadonlyMap<string, FieldMapping> {
  if (!isJsonObject(value))
    throw new MappingError(path, `${path} must be an object of fields, not ${show(value)}`);
  if (depth > MAX_PARSE_DEPTH) throw new MappingError(path, 'The mapping is nested too deeply');
  const properties = new Map<string, FieldMapping>();
  for (const [name, definition] of Object.entries(value)) {
    const place = `${path}.${name}`;
    const segments = splitName(name, place);
    if (depth + segments.length > MAX_PARSE_DEPTH)
      throw new MappingError(place, 'The mapping is nested too deeply');
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

function splitName(name: string, path: string): readonly string[] {
  const segments = name.split('.');
  if (name.length > MAX_NAME_LENGTH) {
    throw new MappingError(
      path.slice(0, 100),
      `Field name ${quote(name)} is longer than ${MAX_NAME_LENGTH} characters`,
    );
  }
  if (segments.some((segment) => segment.trim() === '')) {
    throw new MappingError(path, `Field name ${quote(name)} is empty or has an empty part`);
  }
  return segments;
}

function readField(value: JsonValue, path: string, depth: number): FieldMapping {
  if (!isJsonObject(value))
    throw new MappingError(path, `Field at ${path} must be an object, not ${show(value)}`);
  const type = own(value, 'type');
  if (type === undefined || type === 'object' || type === 'nested') {
    const isObject =
      type !== undefined ||
      ['properties', 'dynamic', 'enabled'].some((key) => Object.hasOwn(value, key));
    if (!isObject) throw new MappingError(path, `Field at ${path} has no type`);
    return readObject(value, type === 'nested', path, depth);
  }
  return readLeaf(value, type, path, true);
}

function readObject(
  value: JsonObject,
  isNested: boolean,
  path: string,
  depth: number,
): ObjectMapping {
  let object: ObjectMapping = { kind: 'object', isNested, properties: new Map() };
  for (const [key, option] of Object.entries(value)) {
    const place = `${path}.${key}`;
    if (key === 'type' || key === 'include_in_all' || key === 'path') continue;
    if (key === 'properties')
      object = { ...object, properties: readProperties(option, place, depth + 1) };
    else if (key === 'dynamic') object = { ...object, dynamic: readDynamic(option, place) };
    else if (key === 'enabled' && !isNested)
      object = { ...object, enabled: readBoolean(option, place) };
    else if (key === 'include_in_parent' && isNested)
      object = { ...object, includeInParent: readBoolean(option, place) };
    else if (key === 'include_in_root' && isNested)
      object = { ...object, includeInRoot: readBoolean(option, place) };
    else
      throw new MappingError(
        place,
        `Unknown parameter ${quote(key)} of ${isNested ? 'nested' : 'object'} field at ${path}`,
      );
  }
  return object;
}

function readLeaf(
  given: JsonObject,
  givenType: JsonValue,
  path: string,
  isOutermost: boolean,
): LeafMapping {
  const { type, definition } =
    givenType === 'string' ? rewriteString(given) : { type: givenType, definition: given };
  if (!isLeafType(type))
    throw new MappingError(`${path}.type`, `Unknown type ${show(type)} at ${path}`);
  const parameters: [string, JsonValue][] = [];
  let copyTo: readonly string[] = [];
  let fields: ReadonlyMap<string, LeafMapping> = new Map();
  for (const [given1, value] of Object.entries(definition)) {
    const key = given1 === 'index_analyzer' ? 'analyzer' : given1;
    const place = `${path}.${key}`;
    if (key === 'type' || value === null || isDroppedParameter(key, value)) continue;
    if (key === 'fields' && isOutermost) fields = readMultiFields(value, place);
    else if (key === 'copy_to' && isOutermost) copyTo = readCopyTo(value, place);
    else {
      const rule = Object.hasOwn(PARAMETER_RULES[type], key)
        ? PARAMETER_RULES[type][key]
        : undefined;
      if (rule === undefined)
        throw new MappingError(
          place,
          `Unknown parameter ${quote(key)} of ${type} field at ${path}`,
        );
      const judged = rule(value);
      if ('expected' in judged)
        throw new MappingError(
          place,
          `${quote(key)} at ${path} must be ${judged.expected}, not ${show(value)}`,
        );
      const isLegacyDefault = key === 'index' && judged.value === true && value !== true;
      if (!isLegacyDefault) parameters.push([key, judged.value]);
    }
  }
  const own = new Map(parameters);
  if (
    own.has('position_increment_gap') &&
    (own.get('index') === false ||
      own.get('index_options') === 'docs' ||
      own.get('index_options') === 'freqs')
  ) {
    throw new MappingError(
      `${path}.position_increment_gap`,
      `"position_increment_gap" at ${path} needs "index" and "index_options" with positions`,
    );
  }
  if (own.get('fielddata') === true && own.get('index') === false) {
    throw new MappingError(`${path}.fielddata`, `"fielddata" at ${path} needs "index"`);
  }
  // Elasticsearch accepts it, but refuses each document with a value.
  const hasVectors = (own.get('term_vector') ?? 'no') !== 'no';
  if (hasVectors && own.get('store') === true && own.get('index') === false) {
    throw new MappingError(
      `${path}.term_vector`,
      `"term_vector" with "store" at ${path} needs "index"`,
    );
  }
  const leaf: LeafMapping = {
    kind: 'leaf',
    type,
    parameters: Object.fromEntries(parameters),
    copyTo,
    fields,
  };
  if (type === 'scaled_float' && !Object.hasOwn(leaf.parameters, 'scaling_factor')) {
    throw new MappingError(path, `scaled_float at ${path} needs "scaling_factor"`);
  }
  return leaf;
}

function isLeafType(type: JsonValue): type is LeafType {
  return (LEAF_TYPES as readonly JsonValue[]).includes(type);
}

/** The legacy type `string`: `index` decides between `text` and `keyword`. */
function rewriteString(given: JsonObject): {
  readonly type: LeafType;
  readonly definition: JsonObject;
} {
  const index = own(given, 'index');
  const isText = index === undefined || index === 'analyzed' || index === true || index === 'yes';
  const unfit = isText
    ? /^(type|index|doc_values|ignore_above)$/
    : /^(type|index|(index_|search_|search_quote_)?analyzer|position_(offset|increment)_gap|term_vector)$/;
  const kept = Object.entries(given).filter(([key]) => !unfit.test(key));
  const isUnindexed = index === 'no' || index === false;
  return {
    type: isText ? 'text' : 'keyword',
    definition: Object.fromEntries(isUnindexed ? [...kept, ['index', false]] : kept),
  };
}

function readMultiFields(value: JsonValue, path: string): ReadonlyMap<string, LeafMapping> {
  if (!isJsonObject(value))
    throw new MappingError(path, `${path} must be an object of fields, not ${show(value)}`);
  return new Map(
    Object.entries(value).map(([name, definition]) => {
      const place = `${path}.${name}`;
      if (splitName(name, place).length > 1)
        throw new MappingError(place, `Multi-field name ${quote(name)} must not hold a dot`);
      const type =
        isJsonObject(definition) && Object.hasOwn(definition, 'type')
          ? definition['type']
          : undefined;
      if (!isJsonObject(definition) || type === undefined)
        throw new MappingError(place, `Field at ${place} has no type`);
      return [name, readLeaf(definition, type, place, false)];
    }),
  );
}

function readCopyTo(value: JsonValue, path: string): readonly string[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (typeof item !== 'string' || item === '')
      throw new MappingError(
        path,
        `${path} must be a field name or a list of names, not ${show(item)}`,
      );
    if (item.startsWith('_'))
      throw new MappingError(
        path,
        `copy_to at ${path} must not name the metadata field ${quote(item)}`,
      );
    splitName(item, path);
    return item;
  });
}

/** The body that `getMapping` returns; `parseMapping` reads it back to an equal mapping. */
export function toMappingBody(mapping: Mapping): JsonObject {
  const { dynamic, dateDetection, numericDetection, dynamicDateFormats, properties } = mapping;
  const { analysis } = mapping;
  return {
    ...present({ dynamic, date_detection: dateDetection, numeric_detection: numericDetection }),
    ...(dynamicDateFormats === undefined ? {} : { dynamic_date_formats: dynamicDateFormats }),
    properties: toProperties(properties),
    ...(analysis === undefined ? {} : { settings: { analysis } }),
  };
}

function toProperties(properties: ReadonlyMap<string, FieldMapping>): JsonObject {
  // fromEntries defines keys, so that "__proto__" stays plain data.
  return Object.fromEntries([...properties].map(([name, field]) => [name, toFieldBody(field)]));
}

function toFieldBody(field: FieldMapping): JsonObject {
  if (field.kind === 'leaf') {
    const { type, parameters, copyTo, fields } = field;
    return {
      type,
      ...parameters,
      ...(copyTo.length === 0 ? {} : { copy_to: copyTo }),
      ...(fields.size === 0 ? {} : { fields: toProperties(fields) }),
    };
  }
  const { isNested, dynamic, enabled, includeInParent, includeInRoot, properties } = field;
  const options = present({
    dynamic,
    enabled,
    include_in_parent: includeInParent,
    include_in_root: includeInRoot,
  });
  const needsType = isNested || (properties.size === 0 && Object.keys(options).length === 0);
  return {
    ...(needsType ? { type: isNested ? 'nested' : 'object' } : {}),
    ...options,
    ...(properties.size === 0 ? {} : { properties: toProperties(properties) }),
  };
}
