/*
 * The single walk over a document that both checks it and feeds the index. It runs for every write, so: no closures, no
 * intermediate objects, no path strings (a compiled field has its full name); `for in` instead of entry arrays. The
 * caller (200 levels) and the mapping (20 levels) bound the depth.
 */
import { DEFAULT_DATE_FORMAT, isJsonObject, type JsonObject, type JsonValue, lowerCase } from '@millrace/language';
import { DocumentError } from '../errors.js';
import { hasKeysOfPoint, hasThirdNumber, parsePoint } from '../geo/parsePoint.js';
import { parseShape } from '../geo/parseShape.js';
import type { CompiledField, CompiledMapping, CompiledObject } from '../mapping/CompiledMapping.js';
import { quote, show } from '../show.js';
import type { DocumentSink } from './DocumentSink.js';
import { parseIp } from '../mapping/ip.js';
import { isIntegerType, isWithinType, toDecimal, toTypePrecision } from '../mapping/numberRange.js';

/** Maximum length of a term, as in Elasticsearch. */
const MAX_KEYWORD_BYTES = 32_766;
const MAX_DATE_MS = 8.64e15;

/**
 * Checks a document against its mapping and reports its indexed values.
 * @param source as `JSON.parse` returned it, at most 200 levels deep
 * @returns true if it has fields that the mapping lacks and `dynamic: true` would add (they are not reported): then
 * merge `deriveDynamicFields` into the mapping and parse again
 * @throws DocumentError for the first value that doesn't fit its field, or an unmapped field under `strict`
 */
export function parseDocument(compiled: CompiledMapping, source: JsonObject, sink: DocumentSink): boolean {
  return walkObject(compiled, compiled.root, source, sink);
}

function walkObject(
  compiled: CompiledMapping,
  object: CompiledObject,
  source: JsonObject,
  sink: DocumentSink,
): boolean {
  let hasUnknown = false;
  for (const key in source) {
    const value = source[key];
    if (value === undefined) continue;
    const child = object.children.get(key);
    if (child === undefined) {
      if (walkUnmapped(compiled, object, key, value, sink)) hasUnknown = true;
    } else if (child.kind === 'field') {
      if (walkField(compiled, child, value, sink)) hasUnknown = true;
    } else if (walkChildObject(compiled, child, value, sink)) hasUnknown = true;
  }
  return hasUnknown;
}

function walkUnmapped(
  compiled: CompiledMapping,
  object: CompiledObject,
  key: string,
  value: JsonValue,
  sink: DocumentSink,
): boolean {
  const dot = key.indexOf('.');
  if (dot > 0) {
    // {"a.b": 1} means {a: {b: 1}}
    const child = object.children.get(key.slice(0, dot));
    if (child !== undefined) {
      const rest = { [key.slice(dot + 1)]: value };
      if (child.kind === 'object') return walkChildObject(compiled, child, rest, sink);
      throw unfit(child, value, 'no sub-fields');
    }
  }
  if (object.dynamic === 'strict') {
    const name = object.name === '' ? key : `${object.name}.${key}`;
    throw new DocumentError(name, `Field ${quote(name)} is not in the mapping, which is strict`);
  }
  return object.dynamic === true && hasContent(value);
}

/** Whether a value would create a field: null, [] and lists of these don't. */
export function hasContent(value: JsonValue): boolean {
  if (!Array.isArray(value)) return value !== null;
  for (const item of value as readonly JsonValue[]) if (hasContent(item)) return true;
  return false;
}

function walkChildObject(
  compiled: CompiledMapping,
  object: CompiledObject,
  value: JsonValue,
  sink: DocumentSink,
): boolean {
  if (!object.isEnabled || value === null) return false;
  if (Array.isArray(value)) {
    let hasUnknown = false;
    for (const item of value as readonly JsonValue[]) {
      if (walkChildObject(compiled, object, item, sink)) hasUnknown = true;
    }
    return hasUnknown;
  }
  if (!isJsonObject(value)) {
    throw new DocumentError(object.name, `Field ${quote(object.name)} must be an object, not ${show(value)}`);
  }
  if (!object.isNested) return walkObject(compiled, object, value, sink);
  sink.beginNested(object);
  const hasUnknown = walkObject(compiled, object, value, sink);
  sink.endNested(object);
  return hasUnknown;
}

/** Reports the values of a field. @throws DocumentError @returns as `parseDocument` */
export function walkField(
  compiled: CompiledMapping,
  field: CompiledField,
  value: JsonValue,
  sink: DocumentSink,
): boolean {
  if (Array.isArray(value) && !isPointArray(field, value)) {
    let hasUnknown = false;
    for (const item of value as readonly JsonValue[]) {
      if (walkField(compiled, field, item, sink)) hasUnknown = true;
    }
    return hasUnknown;
  }
  indexValue(field, value, sink);
  for (const multiField of field.multiFields) indexValue(multiField, value, sink);
  for (const target of field.copyTo) {
    indexValue(target, value, sink);
    for (const multiField of target.multiFields) indexValue(multiField, value, sink);
  }
  if (value === null || compiled.missingCopyTargets.size === 0) return false;
  const missing = compiled.missingCopyTargets.get(field);
  return missing?.some((name) => isAddedByCopy(compiled, name)) === true;
}

/**
 * Whether a copy creates the target field: depends on `dynamic` at the position of the target.
 * @throws DocumentError if it is strict
 */
export function isAddedByCopy(compiled: CompiledMapping, name: string): boolean {
  let parent = compiled.root;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const object = compiled.objects.get(name.slice(0, dot));
    if (object === undefined) continue;
    parent = object;
    break;
  }
  if (parent.dynamic !== 'strict') return parent.dynamic;
  throw new DocumentError(
    name,
    `Field ${quote(name)}, to which copy_to copies, is not in the mapping, which is strict`,
  );
}

/** `[lon, lat]` is one point. */
export function isPointArray(field: CompiledField, value: readonly JsonValue[]): boolean {
  return field.type === 'geo_point' && typeof value[0] === 'number';
}

function indexValue(field: CompiledField, given: JsonValue, sink: DocumentSink): void {
  const value = given ?? field.nullValue;
  if (value === undefined) return;
  switch (field.type) {
    case 'text':
      return sink.text(field, typeof value === 'string' ? value : textOf(field, value));
    case 'keyword':
      return indexKeyword(field, value, sink);
    case 'boolean':
      if (typeof value === 'boolean') return sink.boolean(field, value);
      if (value === 'true') return sink.boolean(field, true);
      if (value === 'false' || value === '') return sink.boolean(field, false);
      throw unfit(field, value, 'true or false');
    case 'date':
      return indexDate(field, value, sink);
    case 'ip':
      return indexIp(field, value, sink);
    case 'geo_point':
      return indexPoint(field, value, sink);
    case 'geo_shape':
      return indexShape(field, value, sink);
    case 'binary':
      return indexBinary(field, value, sink);
    default:
      return indexNumber(field, value, sink);
  }
}

function textOf(field: CompiledField, value: JsonValue): string {
  if (typeof value === 'object') throw unfit(field, value, 'a string');
  return String(value);
}

function indexKeyword(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  const text = typeof value === 'string' ? value : textOf(field, value);
  if (text.length > field.ignoreAbove) return;
  const isKept = field.isIndexed || field.hasDocValues || field.isStored;
  if (isKept && text.length * 3 > MAX_KEYWORD_BYTES && Buffer.byteLength(text) > MAX_KEYWORD_BYTES) {
    throw unfit(field, value, `at most ${MAX_KEYWORD_BYTES} bytes long`);
  }
  sink.keyword(field, field.isLowerCased ? lowerCase(text) : text);
}

function indexNumber(field: CompiledField, given: JsonValue, sink: DocumentSink): void {
  // With `coerce` an empty string counts as null.
  const value = given === '' && field.coerce ? field.nullValue : given;
  if (value === undefined) return;
  let number = Number.NaN;
  if (typeof value === 'number') number = value;
  else if (typeof value === 'string' && field.coerce) number = toDecimal(value);
  const isFit =
    isWithinType(field.type, number) && (field.coerce || !isIntegerType(field.type) || Number.isInteger(number));
  if (isFit) sink.number(field, toTypePrecision(field.type, number, field.scalingFactor));
  else rejectMalformed(field, value, `a number of type ${field.type}`);
}

function indexDate(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  let ms: number | undefined;
  if (typeof value === 'string') ms = field.dateFormat.parse(value);
  else if (typeof value === 'number') ms = numberToDate(field, value);
  if (ms === undefined) rejectMalformed(field, value, `a date of format ${field.dateFormat.text}`);
  else sink.date(field, ms);
}

function numberToDate(field: CompiledField, value: number): number | undefined {
  // Up to four digits are a year in the default format; longer ones can only be milliseconds.
  const isMs = (value > 9999 || value < 0) && field.dateFormat.text === DEFAULT_DATE_FORMAT;
  if (isMs) return Math.abs(value) <= MAX_DATE_MS ? Math.floor(value) : undefined;
  return field.dateFormat.parse(String(value));
}

function indexIp(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  const key = typeof value === 'string' ? parseIp(value) : undefined;
  if (key === undefined) rejectMalformed(field, value, 'an IPv4 or IPv6 address');
  else sink.ip(field, key);
}

function indexPoint(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  const isFit = hasKeysOfPoint(value) && (field.ignoreZValue || !hasThirdNumber(value));
  const point = isFit ? parsePoint(value) : undefined;
  if (point === undefined) {
    rejectMalformed(field, value, 'a point: {lat, lon}, "lat,lon", [lon, lat], geohash or WKT', true);
  } else sink.point(field, point.lat, point.lon);
}

function indexShape(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  const shape = parseShape(value);
  if (shape === undefined) rejectMalformed(field, value, 'a GeoJSON shape, envelope, circle or WKT', true);
  else sink.shape(field, shape);
}

function indexBinary(field: CompiledField, value: JsonValue, sink: DocumentSink): void {
  // Without `store` the value is only part of _source and isn't checked.
  if (!field.isStored) return;
  const isBase64 = typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
  if (!isBase64) throw unfit(field, value, 'base64 text');
  sink.binary(field);
}

/** `ignore_malformed` ignores a wrong scalar; it ignores an object only if the type's values are objects. */
function rejectMalformed(field: CompiledField, value: JsonValue, expected: string, takesObjects = false): void {
  if (field.ignoreMalformed && (takesObjects || !isJsonObject(value))) return;
  throw unfit(field, value, expected);
}

function unfit(field: CompiledField, value: JsonValue, expected: string): DocumentError {
  return new DocumentError(
    field.name,
    `Value of field ${quote(field.name)} (${field.type}) must be ${expected}, not ${show(value)}`,
  );
}
