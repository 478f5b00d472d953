import { apiErrors } from '../../errors/errors.js';
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { IndexName } from '../names/IndexName.js';
import type { CollectionPart } from '../names/toCollectionName.js';
import { showValue } from '../../errors/showValue.js';

/** How one argument of an action is read and checked. */
export interface Argument<T> {
  /** The expected value as the end of an error message: `an integer of at least 0`. */
  readonly expected: string;
  /** Its JSON Schema, for OpenAPI and the typed client. */
  readonly schema: JsonObject;
  readonly required: boolean;
  /** True if the argument may also be a member of the body; it is then removed from there (PROTO-5). */
  readonly inBody: boolean;
  /** @returns the parsed value, or undefined if it is invalid */
  parse(value: unknown): T | undefined;
}

/**
 * The arguments of an action by name. `index`, `collection` and `_id` name the target of the action, by which it is
 * authorised: use `indexName()`, `collectionName()` and, for documents, `documentId()`.
 */
export type Arguments = Readonly<Record<string, Argument<unknown>>> & TargetArguments;

interface TargetArguments {
  readonly index?: Argument<IndexName>;
  readonly collection?: Argument<CollectionPart>;
  readonly _id?: Argument<string>;
}

/** The values of checked arguments: optional ones may be missing. */
export type ArgumentValues<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends RequiredArgument<infer T>
    ? T
    : A[K] extends Argument<infer T>
      ? T | undefined
      : never;
};

/** An argument that is always present once checked. */
export interface RequiredArgument<T> extends Argument<T> {
  readonly required: true;
}

type Parse<T> = (value: unknown) => T | undefined;

function argument<T>(expected: string, schema: JsonObject, parse: Parse<T>): Argument<T> {
  return { expected, schema, required: false, inBody: false, parse };
}

/** Makes an argument mandatory: absent → 400 `api.missing_argument`. */
export function required<T>(base: Argument<T>): RequiredArgument<T> {
  return { ...base, required: true };
}

/** Allows the argument in the body too; a value at the top level wins. */
export function alsoInBody<A extends Argument<unknown>>(base: A): A {
  return { ...base, inBody: true };
}

/** A string. */
export function text(): Argument<string> {
  return argument('a string', { type: 'string' }, (value) => (typeof value === 'string' ? value : undefined));
}

/** An integer, or its decimal digits as a string (query strings); nothing else is parsed as a number. */
export function integer(minimum = 0, maximum = Number.MAX_SAFE_INTEGER): Argument<number> {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const schema = {
    type: 'integer',
    minimum,
    ...(maximum === Number.MAX_SAFE_INTEGER ? undefined : { maximum }),
  };
  return argument(`an integer ${range}`, schema, (value) => {
    const isDigits = typeof value === 'string' && /^-?\d{1,16}$/.test(value);
    const number = isDigits ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
    return number >= minimum && number <= maximum ? number : undefined;
  });
}

/** A boolean, or the strings `true` and `false`. */
export function boolean(): Argument<boolean> {
  return argument('true or false', { type: 'boolean' }, (value) => {
    if (typeof value === 'boolean') return value;
    return value === 'true' ? true : value === 'false' ? false : undefined;
  });
}

/** One of the given strings. */
export function oneOf<const V extends string>(...values: readonly V[]): Argument<V> {
  const expected = values.map((value) => `"${value}"`).join(' or ');
  return argument(expected, { type: 'string', enum: values }, (value) =>
    values.find((candidate) => candidate === value),
  );
}

/** A value with a custom parser. */
export function custom<T>(expected: string, schema: JsonObject, parse: Parse<T>): Argument<T> {
  return argument(expected, schema, parse);
}

/** Any JSON object. */
export function object(): Argument<JsonObject> {
  return argument('a JSON object', { type: 'object' }, (value) => (isJsonObject(value) ? value : undefined));
}

/** @throws api.missing_argument, api.invalid_argument (400), naming the argument */
export function readArgument<T>(name: string, definition: Argument<T>, value: unknown): T | undefined {
  if (value === undefined || value === null) return requireArgument<T>(name, definition, null);
  const parsed = definition.parse(value);
  if (parsed !== undefined) return parsed;
  throw apiErrors.invalid_argument({
    name,
    value: showValue(value),
    expected: definition.expected,
  });
}

/** Returns a parsed value, null if it was absent. @throws api.missing_argument (400) */
export function requireArgument<T>(
  name: string,
  { required: isRequired, expected }: Argument<unknown>,
  value: T | null,
): T | undefined {
  if (value !== null) return value;
  if (!isRequired) return undefined;
  throw apiErrors.missing_argument({ name, expected });
}
