import { isJsonObject, type JsonObject, type JsonValue, own } from '@millrace/language';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';
import { LEAF_TYPES, type LeafMapping, type LeafType } from './Mapping.js';
import { isDroppedParameter, PARAMETER_RULES } from './parameterRules.js';
import { splitName } from './splitName.js';

/**
 * Reads the definition of a field with values.
 * @param isOutermost false: a multi-field, which has none itself
 * @throws MappingError
 */
export function readLeaf(given: JsonObject, givenType: JsonValue, path: string, isOutermost: boolean): LeafMapping {
  const { type, definition } = givenType === 'string' ? rewriteString(given) : { type: givenType, definition: given };
  if (!isLeafType(type)) throw new MappingError(`${path}.type`, `Unknown type ${show(type)} at ${path}`);
  const parameters = new Map<string, JsonValue>();
  let copyTo: readonly string[] = [];
  let fields: ReadonlyMap<string, LeafMapping> = new Map();
  for (const [given1, value] of Object.entries(definition)) {
    const key = given1 === 'index_analyzer' ? 'analyzer' : given1;
    const place = `${path}.${key}`;
    if (key === 'type' || value === null || isDroppedParameter(key, value)) continue;
    if (key === 'fields' && isOutermost) fields = readMultiFields(value, place);
    else if (key === 'copy_to' && isOutermost) copyTo = readCopyTo(value, place);
    else {
      const read = readParameter(type, key, value, path);
      const isLegacyDefault = key === 'index' && read === true && value !== true;
      if (!isLegacyDefault) parameters.set(key, read);
    }
  }
  assertCombination(type, parameters, path);
  return { kind: 'leaf', type, parameters: Object.fromEntries(parameters), copyTo, fields };
}

function readParameter(type: LeafType, key: string, value: JsonValue, path: string): JsonValue {
  const rules = PARAMETER_RULES[type];
  const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
  if (rule === undefined) {
    throw new MappingError(`${path}.${key}`, `Unknown parameter ${quote(key)} of ${type} field at ${path}`);
  }
  const decided = rule(value);
  if (!('expected' in decided)) return decided.value;
  throw new MappingError(`${path}.${key}`, `${quote(key)} at ${path} must be ${decided.expected}, not ${show(value)}`);
}

/** @throws MappingError for parameters that exclude or need each other */
function assertCombination(type: LeafType, parameters: ReadonlyMap<string, JsonValue>, path: string): void {
  const refuse = (key: string, needs: string) => {
    throw new MappingError(`${path}.${key}`, `${quote(key)} at ${path} needs ${needs}`);
  };
  const isUnindexed = parameters.get('index') === false;
  const options = parameters.get('index_options');
  const hasPositions = !isUnindexed && options !== 'docs' && options !== 'freqs';
  if (parameters.has('position_increment_gap') && !hasPositions)
    refuse('position_increment_gap', '"index" and "index_options" with positions');
  if (parameters.get('fielddata') === true && isUnindexed) refuse('fielddata', '"index"');
  // Elasticsearch accepts it, but refuses each document with a value.
  const hasVectors = (parameters.get('term_vector') ?? 'no') !== 'no';
  if (hasVectors && parameters.get('store') === true && isUnindexed)
    refuse('term_vector', '"index" if the field is stored');
  if (type === 'scaled_float' && !parameters.has('scaling_factor'))
    throw new MappingError(path, `scaled_float at ${path} needs "scaling_factor"`);
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
  if (!isJsonObject(value)) throw new MappingError(path, `${path} must be an object of fields, not ${show(value)}`);
  return new Map(
    Object.entries(value).map(([name, definition]) => {
      const place = `${path}.${name}`;
      if (splitName(name, place).length > 1)
        throw new MappingError(place, `Multi-field name ${quote(name)} must not hold a dot`);
      const type = isJsonObject(definition) && Object.hasOwn(definition, 'type') ? definition['type'] : undefined;
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
      throw new MappingError(path, `${path} must be a field name or a list of names, not ${show(item)}`);
    if (item.startsWith('_'))
      throw new MappingError(path, `copy_to at ${path} must not name the metadata field ${quote(item)}`);
    splitName(item, path);
    return item;
  });
}
