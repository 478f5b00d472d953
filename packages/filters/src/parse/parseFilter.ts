import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
import type { AnyCondition, Filter } from '../Filter.js';
import { FilterError, tooComplex } from '../FilterError.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '../FilterLimits.js';
import { quote, show } from '../show.js';
import { pathOf, PatternsRead, refusal, type ParseContext, type Slot } from './ParseContext.js';
import {
  assertKeys,
  equalsOf,
  parseEquals,
  parseExists,
  parseIds,
  parseIn,
  parseMissing,
  parseRange,
  parseRegexp,
} from './parseConditions.js';
import { parseGeoBoundingBox, parseGeoDistance, parseGeoDistanceRange, parseGeoPolygon } from './parseGeoConditions.js';
import { readObject } from './readField.js';

/*
 * The parser of the subscription filter language (FILTER-3 to FILTER-31). It checks in document order and rewrites
 * aliases, `equals`, `ids`, `missing` and `bool` into the few kinds of `Filter`. The nesting limit bounds the
 * recursion.
 */

/** State shared by all operators of one filter. */
type ParsedFilter = Pick<ParseContext, 'limits' | 'patterns' | 'allowsReferences'>;

type AnyFilter = Filter<AnyCondition>;
type Parse = (context: ParseContext, argument: JsonValue) => AnyFilter;

/** Options of the search language that have no meaning here: ignored in the argument of an alias. */
const IGNORED = ['boost', '_name'];

const OPERATORS: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ['equals', parseEquals],
  ['in', parseIn],
  ['range', parseRange],
  ['exists', alias(parseExists)],
  ['missing', parseMissing],
  ['ids', alias(parseIds)],
  ['regexp', parseRegexp],
  ['geoBoundingBox', parseGeoBoundingBox],
  ['geoDistance', parseGeoDistance],
  ['geoDistanceRange', parseGeoDistanceRange],
  ['geoPolygon', parseGeoPolygon],
  ['nothing', () => ({ kind: 'nothing' })],
  ['and', nested((context, argument) => parseList(context, argument, 'and'))],
  ['or', nested((context, argument) => parseList(context, argument, 'or'))],
  ['not', nested(parseNot)],
  ['bool', nested(parseBool)],
  ['term', alias(parseTerm)],
  ['terms', alias(parseIn)],
  ['match_all', matchAll('everything')],
  ['match_none', matchAll('nothing')],
  ['geo_bounding_box', alias(parseGeoBoundingBox)],
  ['geo_distance', alias(parseGeoDistance)],
  ['geo_distance_range', alias(parseGeoDistanceRange)],
  ['geo_polygon', alias(parseGeoPolygon)],
]);

/**
 * Parses and checks a subscription filter or a validator.
 * @param value the JSON as sent; `{}`, null and undefined are the filter that matches everything
 * @throws FilterError with the operator, field and position of the first error (FILTER-50, FILTER-51)
 */
export function parseFilter(value: unknown, limits: FilterLimits = DEFAULT_FILTER_LIMITS): Filter {
  // Without references every leaf is a `Condition`.
  return parseRoot(value, limits, false) as Filter;
}

/**
 * As `parseFilter`, for a role condition: `{$ref: path}` may replace values of `equals`, `in` and `range`.
 * @throws FilterError
 */
export function parseFilterWithReferences(
  value: unknown,
  limits: FilterLimits = DEFAULT_FILTER_LIMITS,
): Filter<AnyCondition> {
  return parseRoot(value, limits, true);
}

function parseRoot(value: unknown, limits: FilterLimits, allowsReferences: boolean): AnyFilter {
  if (value === undefined || value === null) return { kind: 'everything' };
  if (isJsonObject(value) && Object.keys(value).length === 0) return { kind: 'everything' };
  if (!fitsInBytes(value, limits.bytes)) throw tooComplex(`more than ${limits.bytes} bytes of JSON`);
  const root: Slot = { around: undefined, name: '', place: -1 };
  const filter = { limits, patterns: new PatternsRead(limits), allowsReferences };
  return parseAt(value as JsonValue, root, 0, filter);
}

function parseAt(value: JsonValue, slot: Slot, depth: number, filter: ParsedFilter): AnyFilter {
  if (!isJsonObject(value)) throw misplaced(slot, `expected an object with one operator, got ${show(value)}`);
  const names = Object.keys(value);
  const operator = names[0];
  if (operator === undefined || names.length > 1) {
    throw misplaced(
      slot,
      `expected exactly one operator, got ${names.length === 0 ? 'none' : names.slice(0, 5).map(quote).join(', ')}`,
    );
  }
  const parse = OPERATORS.get(operator);
  if (parse === undefined) throw unknownOperator(slot, operator);
  const { limits, patterns, allowsReferences } = filter;
  const context = { limits, patterns, allowsReferences, slot, operator, depth };
  return parse(context, value[operator] ?? null);
}

function misplaced(slot: Slot, reason: string): FilterError {
  const path = pathOf(slot);
  const at = path === '' ? '' : `, at ${path}`;
  return new FilterError('invalid_filter', path, `Invalid filter${at}: ${reason}`);
}

function unknownOperator(slot: Slot, operator: string): FilterError {
  const path = pathOf(slot);
  const at = path === '' ? '' : `, at ${path}`;
  const message = `Invalid filter: unknown operator ${quote(operator)}${at}`;
  const unknown = { name: operator, known: OPERATORS.keys() };
  return new FilterError('invalid_filter', path, message, unknown);
}

/** @param name of the slot, @param place −1 for none */
function parseOperand(value: JsonValue, around: ParseContext, name: string, place: number): AnyFilter {
  return parseAt(value, { around, name, place }, around.depth + 1, around);
}

/** @param name of the list, for the position of an error */
function parseEach(context: ParseContext, list: readonly JsonValue[], name: string): readonly AnyFilter[] {
  return list.map((each, place) => parseOperand(each, context, name, place));
}

function parseList(context: ParseContext, argument: JsonValue, kind: 'and' | 'or'): AnyFilter {
  if (!Array.isArray(argument) || argument.length === 0) {
    throw refusal(context, `expected a list of at least one filter, got ${show(argument)}`);
  }
  return { kind, operands: parseEach(context, argument as readonly JsonValue[], kind) };
}

function parseNot(context: ParseContext, argument: JsonValue): AnyFilter {
  return { kind: 'not', operand: parseOperand(argument, context, 'not', -1) };
}

const CONTRIBUTIONS: ReadonlyMap<string, (operands: readonly AnyFilter[]) => AnyFilter> = new Map([
  ['must', (operands): AnyFilter => ({ kind: 'and', operands })],
  ['filter', (operands): AnyFilter => ({ kind: 'and', operands })],
  ['must_not', (operands): AnyFilter => ({ kind: 'not', operand: { kind: 'or', operands } })],
  ['should', (operands): AnyFilter => ({ kind: 'or', operands })],
  ['should_not', (operands): AnyFilter => ({ kind: 'not', operand: { kind: 'and', operands } })],
]);

/** The conjunction of its keys (FILTER-30); `should` counts also in combination with `must`. */
function parseBool(context: ParseContext, argument: JsonValue): AnyFilter {
  const known = [...CONTRIBUTIONS.keys()];
  const object = readObject(context, argument, `of ${known.join(', ')}`);
  assertKeys(context, object, known);
  const entries = Object.entries(object);
  if (entries.length === 0) throw refusal(context, `expected one of ${known.join(', ')}`);
  const operands: AnyFilter[] = [];
  for (const [key, value] of entries) {
    const contribute = CONTRIBUTIONS.get(key);
    if (contribute !== undefined) {
      operands.push(contribute(parseOperands(context, key, value)));
    }
  }
  return { kind: 'and', operands };
}

function parseOperands(context: ParseContext, key: string, value: JsonValue): readonly AnyFilter[] {
  const given = isJsonObject(value) ? [value] : value;
  if (!Array.isArray(given) || given.length === 0) {
    throw refusal(context, `"${key}" must be a list of at least one filter, got ${show(value)}`);
  }
  return parseEach(context, given as readonly JsonValue[], `bool.${key}`);
}

/** `{f: v}` or `{f: {value: v}}` */
function parseTerm(context: ParseContext, argument: JsonValue): AnyFilter {
  const fields = isJsonObject(argument) ? Object.keys(argument) : [];
  const [field] = fields;
  const inner = field === undefined ? undefined : (argument as JsonObject)[field];
  if (field === undefined || fields.length > 1 || !isJsonObject(inner) || !Object.hasOwn(inner, 'value'))
    return parseEquals(context, argument);
  for (const key of Object.keys(inner)) {
    if (key !== 'value' && !IGNORED.includes(key)) throw refusal(context, 'expected {value: …} or a value', field);
  }
  return equalsOf(context, field, inner.value ?? null);
}

function matchAll(kind: 'everything' | 'nothing'): Parse {
  return (context, argument) => {
    const options = withoutIgnored(readObject(context, argument, '{}'));
    if (Object.keys(options).length === 0) return { kind };
    throw refusal(context, 'expected {}');
  };
}

function alias(parse: Parse): Parse {
  return (context, argument) => parse(context, isJsonObject(argument) ? withoutIgnored(argument) : argument);
}

/** Without `boost` and `_name`, unless nothing else is present: then one of them is a field. */
function withoutIgnored(argument: JsonObject): JsonObject {
  if (Object.keys(argument).length < 2) return argument;
  if (!IGNORED.some((key) => Object.hasOwn(argument, key))) return argument;
  const kept = Object.entries(argument).filter(([key]) => !IGNORED.includes(key));
  // `fromEntries` defines keys, so `__proto__` stays plain data.
  return kept.length > 0 ? Object.fromEntries(kept) : argument;
}

function nested(parse: Parse): Parse {
  return (context, argument) => {
    const { depth } = context.limits;
    if (context.depth >= depth)
      throw tooComplex(`nested more than ${depth} levels deep`, pathOf(context.slot).slice(0, 200));
    return parse(context, argument);
  };
}

/**
 * True if the value takes at most this many bytes as compact JSON in UTF-8. Stops reading a larger value at the limit.
 */
export function fitsInBytes(value: unknown, maxBytes: number): boolean {
  let left = maxBytes;
  const pending = [value];
  const takeText = (text: string) => {
    left -= text.length > left ? text.length : Buffer.byteLength(JSON.stringify(text));
  };
  while (pending.length > 0 && left >= 0) {
    const each = pending.pop();
    if (typeof each === 'string') takeText(each);
    else if (Array.isArray(each)) {
      // Brackets and commas.
      left -= Math.max(2, each.length + 1);
      for (let i = 0; i < each.length && left >= 0; i++) pending.push(each[i]);
    } else if (isJsonObject(each)) {
      const keys = Object.keys(each);
      left -= Math.max(2, 2 * keys.length + 1);
      for (let i = 0; i < keys.length && left >= 0; i++) {
        const key = keys[i] as string;
        takeText(key);
        pending.push(each[key]);
      }
    } else left -= String(each).length;
  }
  return left >= 0;
}
