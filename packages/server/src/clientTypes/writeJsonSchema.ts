import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { writeName } from './writeFields.js';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};
const REFERENCE = '#/components/schemas/';
/** A schema within itself ends here. */
const MAX_DEPTH = 12;

/**
 * A JSON Schema as a type of TypeScript; what has none is `unknown`.
 * @param schemas those that references name
 */
export function writeJsonSchema(schema: JsonValue | undefined, schemas: JsonObject, depth = 0): string {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'unknown';
  const inner = (each: JsonValue) => writeJsonSchema(each, schemas, depth + 1);
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return inner(schemas[$ref.replace(REFERENCE, '')] ?? null);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return union(toList(alternatives).map(inner));
  if (Array.isArray(allOf))
    return toList(allOf)
      .map((each) => `(${inner(each)})`)
      .join(' & ');
  if (Array.isArray(type)) return union(toList(type).map((each) => inner({ ...schema, type: each })));
  if (type === 'array') return `(${inner(schema.items ?? null)})[]`;
  if (type === 'object' || schema.properties !== undefined) return writeObject(schema, inner);
  return (typeof type === 'string' ? SCALARS[type] : undefined) ?? 'unknown';
}

function writeObject(schema: JsonObject, inner: (each: JsonValue) => string): string {
  const { properties, required, additionalProperties } = schema;
  const members = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, each]) =>
      `${writeName(name)}${Array.isArray(required) && required.includes(name) ? '' : '?'}: ${inner(each)};`,
  );
  if (members.length > 0) return `{ ${members.join(' ')} }`;
  const values = isJsonObject(additionalProperties) ? inner(additionalProperties) : 'unknown';
  return `Record<string, ${values}>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** A list as it is; an empty one for any other value. */
export function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
