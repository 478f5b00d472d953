import type { JsonObject } from '@millrace/language';
import { present } from '../present.js';
import type { FieldMapping, Mapping } from './Mapping.js';

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
