import {
  isJsonObject,
  type JsonObject,
  type JsonScalar,
  type JsonValue,
  own,
  Pattern,
  PatternFault,
} from '@millrace/language';
import type { AnyCondition, Bound, Condition, Filter, Reference, ReferenceCondition } from '../Filter.js';
import { quote, show } from '../show.js';
import { excess, refusal, type ParseContext } from './ParseContext.js';
import { assertFieldName, MAX_FIELD_LENGTH, readField, readObject } from './readField.js';

const KEY = '$ref';

const BOUNDS = ['gt', 'gte', 'lt', 'lte'];
const FLAGS = /^[gimsuy]*$/;
const PROPERTY = /\\[pP]\{/g;
/** Steps that a Unicode property counts as: the native parser takes some 20 µs for it. */
const PROPERTY_STEPS = 50;

/** `{<field>: v}` */
export function parseEquals(context: ParseContext, argument: JsonValue): AnyCondition {
  const { field, value } = readField(context, argument);
  return listOf(context, field, [value]);
}

/** `equals` of a field and a value given in another notation. */
export function equalsOf(context: ParseContext, field: string, value: JsonValue): AnyCondition {
  assertFieldName(context, field);
  return listOf(context, field, [value]);
}

/** `{<field>: [v, …]}` */
export function parseIn(context: ParseContext, argument: JsonValue): AnyCondition {
  const { field, value } = readField(context, argument);
  return listOf(context, field, readValues(context, value, field));
}

/** `{values: ["id", …]}`, or one string; `type` is ignored as in the search language. */
export function parseIds(context: ParseContext, argument: JsonValue): Condition {
  const object = readObject(context, argument, '{values: ["id", …]}');
  assertKeys(context, object, ['values', 'type']);
  const given = own(object, 'values') ?? null;
  const values = readValues(context, typeof given === 'string' ? [given] : given, 'values');
  return {
    kind: 'in',
    field: '_id',
    values: values.map((id) => {
      if (typeof id === 'string') return readScalar(context, id, 'values');
      throw refusal(context, `expected identifiers as strings, got ${show(id)}`, 'values');
    }),
  };
}

/** `{<field>: {gt|gte|lt|lte: number}}` */
export function parseRange(context: ParseContext, argument: JsonValue): Filter<AnyCondition> {
  const { field, value } = readField(context, argument);
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    throw refusal(context, 'expected bounds {gt|gte|lt|lte: number}', field);
  }
  assertKeys(context, value, BOUNDS, field);
  const lower = readBound(context, value, field, 'gt', 'gte');
  const upper = readBound(context, value, field, 'lt', 'lte');
  if (isReference(lower) || isReference(upper)) return rangeWithReferences(field, lower, upper);
  if (lower !== undefined && upper !== undefined && lower.value >= upper.value) {
    throw refusal(context, 'lower bound must be below upper bound', field);
  }
  return { kind: 'range', field, ...(lower && { lower }), ...(upper && { upper }) };
}

/** `{field: "<field>"}`, or `"<field>"` */
export function parseExists(context: ParseContext, argument: JsonValue): Condition {
  let field = argument;
  if (isJsonObject(argument)) {
    assertKeys(context, argument, ['field']);
    field = own(argument, 'field') ?? null;
  }
  if (typeof field !== 'string') {
    throw refusal(context, `expected {field: "<field>"} or "<field>", got ${show(argument)}`);
  }
  assertFieldName(context, field);
  return { kind: 'exists', field };
}

/** `not exists` */
export function parseMissing(context: ParseContext, argument: JsonValue): Filter {
  return { kind: 'not', operand: parseExists(context, argument) };
}

/** `{<field>: {value, flags?}}`, or `{<field>: "pattern"}` */
export function parseRegexp(context: ParseContext, argument: JsonValue): Condition {
  const { field, value } = readField(context, argument);
  const options: JsonObject = isJsonObject(value) ? value : { value };
  assertKeys(context, options, ['value', 'flags'], field);
  const source = own(options, 'value');
  if (typeof source !== 'string' || source === '') {
    const reason = `expected a pattern as a non-empty string "value", got ${show(source)}`;
    throw refusal(context, reason, field);
  }
  const { patternLength } = context.limits;
  if (source.length > patternLength) {
    const reason = `a pattern has at most ${patternLength} characters, got ${source.length}`;
    throw refusal(context, reason, field);
  }
  const flags = own(options, 'flags') ?? '';
  return { kind: 'regexp', field, pattern: readPattern(context, field, source, flags) };
}

/** Refuses unknown keys of an argument. */
export function assertKeys(context: ParseContext, object: JsonObject, known: readonly string[], field?: string): void {
  const keys = Object.keys(object);
  let at = 0;
  while (at < keys.length && known.includes(keys[at] as string)) at++;
  const unknown = keys[at];
  if (unknown === undefined) return;
  throw refusal(context, `unknown key ${quote(unknown)}, expected ${known.join(', ')}`, field);
}

function readPattern(context: ParseContext, field: string, source: string, flags: JsonValue): Pattern {
  const isKnown = typeof flags === 'string' && (flags === '' || FLAGS.test(flags));
  if (!isKnown || (flags.length > 1 && new Set(flags).size !== flags.length)) {
    const reason = `flags are a string of i, m, s, u, g, y, each once, got ${show(flags)}`;
    throw refusal(context, reason, field);
  }
  // `g` and `y` only change where the next search begins; there is none.
  const effective =
    flags === ''
      ? ''
      : [...flags]
          .filter((flag) => flag !== 'g' && flag !== 'y')
          .sort()
          .join('');
  const { patterns } = context;
  patterns.count(source.length + PROPERTY_STEPS * (source.match(PROPERTY)?.length ?? 0));
  try {
    const pattern = new Pattern(source, effective, patterns.share);
    patterns.count(Math.max(0, pattern.stepCount - source.length));
    return pattern;
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    throw refusal(context, `invalid pattern: ${error.message}`, field);
  }
}

function readBound(
  context: ParseContext,
  bounds: JsonObject,
  field: string,
  exclusive: 'gt' | 'lt',
  inclusive: 'gte' | 'lte',
): Bound | ReferenceCondition | undefined {
  const isInclusive = Object.hasOwn(bounds, inclusive);
  const isExclusive = Object.hasOwn(bounds, exclusive);
  if (!isInclusive && !isExclusive) return undefined;
  if (isInclusive && isExclusive) {
    throw refusal(context, `give one of "${exclusive}" and "${inclusive}", not both`, field);
  }
  const key = isInclusive ? inclusive : exclusive;
  const value = bounds[key];
  const reference = readReference(context, value, field);
  if (reference !== undefined) {
    return { kind: 'reference', field, operator: key, values: [reference] };
  }
  if (typeof value !== 'number') {
    throw refusal(context, `bound "${key}" must be a number, got ${show(value)}`, field);
  }
  return { value: value + 0, isInclusive };
}

function isReference(bound: Bound | ReferenceCondition | undefined): bound is ReferenceCondition {
  return bound !== undefined && 'kind' in bound;
}

/** The conjunction of its bounds. */
function rangeWithReferences(
  field: string,
  lower: Bound | ReferenceCondition | undefined,
  upper: Bound | ReferenceCondition | undefined,
): Filter<AnyCondition> {
  const operands: AnyCondition[] = [];
  if (isReference(lower)) operands.push(lower);
  else if (lower !== undefined) operands.push({ kind: 'range', field, lower });
  if (isReference(upper)) operands.push(upper);
  else if (upper !== undefined) operands.push({ kind: 'range', field, upper });
  return { kind: 'and', operands };
}

/** A list of values, with references if there are any. */
function listOf(context: ParseContext, field: string, given: readonly JsonValue[]): AnyCondition {
  const values: JsonScalar[] = [];
  for (let i = 0; i < given.length; i++) {
    const value = given[i] as JsonValue;
    if (readReference(context, value, field) !== undefined) {
      return listWithReferences(context, field, given);
    }
    values.push(readScalar(context, value, field));
  }
  return { kind: 'in', field, values };
}

function listWithReferences(context: ParseContext, field: string, given: readonly JsonValue[]): ReferenceCondition {
  const values = given.map((value) => readReference(context, value, field) ?? readScalar(context, value, field));
  return { kind: 'reference', field, operator: 'in', values };
}

function readValues(context: ParseContext, value: JsonValue, field: string): readonly JsonValue[] {
  if (!Array.isArray(value)) {
    throw refusal(context, `expected a list of values, got ${show(value)}`, field);
  }
  const values = value as readonly JsonValue[];
  const limit = context.limits.values;
  if (values.length === 0) throw refusal(context, 'the list of values is empty', field);
  if (values.length > limit) {
    throw excess(context, `too many values: ${values.length}, the maximum is ${limit}`, field);
  }
  return values;
}

function readScalar(context: ParseContext, value: JsonValue, field: string): JsonScalar {
  switch (typeof value) {
    case 'number':
      // Turns −0 into the equal 0.
      return value + 0;
    case 'string':
      return value;
    case 'boolean':
      return value;
    default:
      throw refusal(context, `expected a string, number or boolean, got ${show(value)}`, field);
  }
}

/**
 * Parses `{$ref: "<path>"}` in place of a value, if the filter may contain references.
 * @returns undefined for any other value
 */
function readReference(context: ParseContext, value: JsonValue | undefined, field: string): Reference | undefined {
  if (!context.allowsReferences || !isJsonObject(value)) return undefined;
  const path = own(value, KEY);
  const isAlone = Object.keys(value).length === 1;
  const isPath = typeof path === 'string' && path !== '' && path.length <= MAX_FIELD_LENGTH;
  if (isAlone && isPath) return { path };
  const reason = `expected a value or {"${KEY}": "<path>"} with a path of 1 to ${MAX_FIELD_LENGTH} characters`;
  throw refusal(context, reason, field);
}
