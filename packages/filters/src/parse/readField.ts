import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
import { show } from '../show.js';
import { refusal, type ParseContext } from './ParseContext.js';

/** Maximum length of a field name, in characters. */
export const MAX_FIELD_LENGTH = 512;

/** The parts of a leaf's argument. */
export interface FieldArgument {
  readonly field: string;
  readonly value: JsonValue;
  readonly rest: JsonObject;
}

/**
 * Parses `{<field>: value}`: exactly one field in addition to the named options.
 * @param options keys that aren't fields, such as `distance`
 */
export function readField(context: ParseContext, argument: JsonValue, options: readonly string[] = []): FieldArgument {
  const object = readObject(context, argument, '{<field>: …}');
  const keys = Object.keys(object);
  let field = '';
  let count = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    if (options.includes(key)) continue;
    field = key;
    count++;
  }
  if (count !== 1) throw refusal(context, `expected exactly one field, got ${count}`);
  assertFieldName(context, field);
  return { field, value: object[field] ?? null, rest: object };
}

/** @throws FilterError unless the argument is an object */
export function readObject(context: ParseContext, argument: JsonValue, expected: string): JsonObject {
  if (isJsonObject(argument)) return argument;
  throw refusal(context, `expected an object ${expected}, got ${show(argument)}`);
}

/** A field name is a non-empty string of at most 512 characters (FILTER-4). */
export function assertFieldName(context: ParseContext, field: string): void {
  if (field === '') throw refusal(context, 'expected a field name, got an empty one');
  if (field.length > MAX_FIELD_LENGTH) {
    const reason = `a field name has at most ${MAX_FIELD_LENGTH} characters, got ${field.length}`;
    throw refusal(context, reason, field);
  }
}
