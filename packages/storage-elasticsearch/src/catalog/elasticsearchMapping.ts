/*
 * Converts mappings between our terms and Elasticsearch's. Elasticsearch leaves out values that equal its defaults and
 * sorts fields by name. The mapping as it was given is therefore also stored in its `_meta`, and one request changes
 * both. `getMapping` returns the stored one plus the fields that Elasticsearch has added since.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import {
  hasGrams,
  MappingError,
  MAX_GRAM_DIFFERENCE,
  mergeMapping,
  parseMapping,
  toMappingBody,
  type Mapping,
} from '@millrace/query';
import { present } from '../query/present.js';
import { DOCUMENT_METADATA, METADATA_PROPERTIES } from '../client/METADATA.js';

const DEFAULT_FORMAT = 'strict_date_optional_time||epoch_millis';
/** Date formats tried on strings (SEARCH-45); Elasticsearch's default has fewer formats. */
const DETECTED_DATES = [
  DEFAULT_FORMAT,
  'yyyy/MM/dd HH:mm:ss Z||yyyy/MM/dd Z||yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis',
];

const DECIMALS = 'millrace_decimals';

/**
 * Elasticsearch makes a `dense_vector` of a list of 128 to 4,096 decimals in an unmapped field, unless a dynamic template
 * gives the field its type (SEARCH-45).
 */
const DYNAMIC_TEMPLATES: JsonValue = [{ [DECIMALS]: { match_mapping_type: 'double', mapping: { type: 'float' } } }];

/** The index settings that define the mapping's analyzers. Definitions have the same meaning in Elasticsearch. */
export function toServerAnalysis({ analysis }: Mapping): JsonObject {
  if (analysis === undefined) return {};
  return {
    analysis,
    ...(hasGrams(analysis) ? { max_ngram_diff: MAX_GRAM_DIFFERENCE } : {}),
  };
}

/** The body of `mappings` for Elasticsearch; analyzers are index settings (`toServerAnalysis`). */
export function toServerMapping(mapping: Mapping): JsonObject {
  const { settings, ...body } = toMappingBody(mapping);
  const given = JSON.stringify({ ...body, ...present({ settings }) });
  const properties = toServerFields(body['properties'] as JsonObject);
  return {
    dynamic_date_formats: DETECTED_DATES,
    dynamic_templates: DYNAMIC_TEMPLATES,
    ...body,
    _meta: { millrace: { mapping: given } },
    properties: { ...properties, ...METADATA_PROPERTIES },
  };
}

/**
 * Omits `boost`, which current Elasticsearch versions refuse, and the doc values of `binary`, which would make fields
 * that are not searchable (SEARCH-44) findable and countable.
 */
function toServerFields(properties: JsonObject): JsonObject {
  const written = Object.entries(properties).map(([name, field]): [string, JsonValue] => {
    const isBinary = (field as JsonObject)['type'] === 'binary';
    const kept = Object.entries(field as JsonObject)
      .filter(([key]) => key !== 'boost' && !(isBinary && key === 'doc_values'))
      .map(([key, value]): [string, JsonValue] => {
        const holdsFields = (key === 'properties' || key === 'fields') && isJsonObject(value);
        return [key, holdsFields ? toServerFields(value) : value];
      });
    return [name, Object.fromEntries(kept)];
  });
  return Object.fromEntries(written);
}

/** What every collection's Elasticsearch mapping has in addition to the user's fields. */
export const MAPPING_ADDITIONS: JsonObject = {
  dynamic_templates: DYNAMIC_TEMPLATES,
  properties: METADATA_PROPERTIES,
};

/** Whether an Elasticsearch mapping has `MAPPING_ADDITIONS`. Those of earlier versions lack some. */
export function hasAdditions({ properties, dynamic_templates: templates }: JsonObject): boolean {
  return (
    isJsonObject(properties) &&
    Object.hasOwn(properties, DOCUMENT_METADATA) &&
    JSON.stringify(templates ?? []).includes(`"${DECIMALS}"`)
  );
}

/** @returns the mapping with `float` in the place of `dense_vector`; undefined if it has no such field */
export function withoutVectors(body: JsonObject): JsonObject | undefined {
  let isFound = false;
  const visit = (value: JsonValue): JsonValue => {
    if (!isJsonObject(value)) return value;
    if (value['type'] === 'dense_vector') {
      isFound = true;
      return { type: 'float' };
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item)]));
  };
  const properties = visit(body['properties'] ?? {});
  return isFound ? { ...body, properties } : undefined;
}

/**
 * The mapping in our terms, from Elasticsearch's mapping. Fields that have no equal here, such as those of a type that
 * Millrace lacks, are left out: they remain in documents, and can't be searched (SEARCH-48).
 */
export function fromServerMapping(body: JsonObject): Mapping {
  const { _meta: meta, properties, ...rest } = body;
  const fields = Object.entries((properties ?? {}) as JsonObject).filter(
    ([name]) => !Object.hasOwn(METADATA_PROPERTIES, name),
  );
  const current = parseMapping({
    ...toOwnFlags(rest),
    properties: toOwnFields(Object.fromEntries(fields)),
  });
  const given = ((meta as JsonObject | undefined)?.['millrace'] as JsonObject | undefined)?.['mapping'];
  if (typeof given !== 'string') return current;
  const own = parseMapping(JSON.parse(given) as JsonValue);
  try {
    return mergeMapping(own, current);
  } catch (error) {
    // The mapping was changed in Elasticsearch directly: Elasticsearch's version applies.
    if (error instanceof MappingError) return { ...current, ...present({ analysis: own.analysis }) };
    throw error;
  }
}

const FLAGS = ['dynamic', 'date_detection', 'numeric_detection', 'dynamic_date_formats'];

function toOwnFlags(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => FLAGS.includes(key))
      .filter(([key, value]) => key !== 'dynamic_date_formats' || !isDefaultDetection(value))
      .map(([key, value]) => [key, key === 'dynamic' ? toDynamic(value) : value]),
  );
}

function isDefaultDetection(formats: JsonValue): boolean {
  return JSON.stringify(formats) === JSON.stringify(DETECTED_DATES);
}

/** Elasticsearch writes the booleans of `dynamic` as strings. Other values, such as `runtime`, add fields too. */
function toDynamic(value: JsonValue): JsonValue {
  return value === 'strict' ? value : value !== 'false' && value !== false;
}

const OBJECT_KEYS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'dynamic',
  'enabled',
  'include_in_parent',
  'include_in_root',
]);

function toOwnFields(properties: JsonObject): JsonObject {
  const read = Object.entries(properties).map(([name, given]): [string, JsonValue] => {
    const { format, ...field } = given as JsonObject;
    const own = format === undefined || format === DEFAULT_FORMAT ? field : { ...field, format };
    const entries = Object.entries(own)
      // Elasticsearch adds this to a search analyzer if no analyzer was given.
      .filter(([key, value]) => !(key.endsWith('analyzer') && value === 'default'))
      .filter(([key]) => !isObjectField(field) || OBJECT_KEYS.has(key))
      .map(([key, value]): [string, JsonValue] => {
        if (key === 'dynamic') return [key, toDynamic(value)];
        const holdsFields = (key === 'properties' || key === 'fields') && isJsonObject(value);
        return [key, holdsFields ? toOwnFields(value) : value];
      });
    return [name, Object.fromEntries(entries)];
  });
  return Object.fromEntries(read.filter(([, field]) => isReadable(field as JsonObject)));
}

function isObjectField({ type }: JsonObject): boolean {
  return type === undefined || type === 'object' || type === 'nested';
}

function isReadable(field: JsonObject): boolean {
  // The fields of an object have been checked one by one.
  if (isObjectField(field)) return true;
  try {
    parseMapping({ properties: { field } });
    return true;
  } catch (error) {
    if (error instanceof MappingError) return false;
    throw error;
  }
}
