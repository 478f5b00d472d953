import {
  isJsonObject,
  isJsonScalar,
  own,
  parseDateMath,
  type JsonScalar,
  type JsonValue,
  type DateFormat,
} from '@millrace/language';
import { MAX_BUCKETS } from '../MAX_BUCKETS.js';
import { assertValues } from '../kinds/assertValues.js';
import { dateFormatOf } from '../coerce/dateFormatOf.js';
import { coerceIndexed, coerceBoolean } from '../coerce/coerceTerm.js';
import { isNumberType, toDecimal } from '../mapping/numberRange.js';
import { invalid } from '../errors.js';
import { readTimeZone } from '../kinds/termKinds.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { Options } from '../parse/Options.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import { readDateFormat } from '../parse/readDateFormat.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import type { CompositeSource, CompositeSourceBase } from '../tree/Aggregation.js';
import { SUPPOSED_VALUES, type AggregationKind } from './AggregationKind.js';
import { assertDateOptions, isGeo, unfitField } from './fieldValues.js';
import { readInterval, readOffset } from './histogramKinds.js';

const MAX_SOURCES = 32;

/** `composite`. */
export const COMPOSITE_KIND: AggregationKind<'composite'> = {
  parse(options, base) {
    const list = options.raw('sources');
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_SOURCES) {
      return options.fail('sources', `a list of 1 to ${MAX_SOURCES} sources`);
    }
    const sources = (list as readonly JsonValue[]).map((item, position) =>
      readSource(item, `${options.path}.sources[${position}]`),
    );
    const names = new Set(sources.map((source) => source.name));
    if (names.size < sources.length) options.fail('sources', 'sources with different names');
    return {
      kind: 'composite',
      ...base,
      sources,
      size: options.number('size', { min: 1, max: MAX_BUCKETS, isInteger: true }) ?? 10,
      ...present({ after: readAfter(options, sources) }),
    };
  },
  bind(aggregation, { binding: { compiled, nowMs } }) {
    const sources = aggregation.sources.map((source) => {
      const mapped = compiled.fields.get(source.field);
      if (mapped !== undefined) assertSource(source, mapped);
      return { ...source, mapped };
    });
    const afterValues = aggregation.after?.map((value, at) => {
      const source = sources[at];
      return source === undefined ? null : bindAfter(source, source.mapped, value, nowMs);
    });
    return { ...aggregation, sources, afterValues };
  },
  children: 'in buckets',
  counts: ({ size, sources }) => ({
    buckets: size,
    placements: SUPPOSED_VALUES ** sources.filter((source) => source.kind !== 'date_histogram').length,
    certain: 0,
  }),
};

function readSource(value: JsonValue, path: string): CompositeSource {
  const [name, definition] = onlyEntry(value, path, 'Source');
  const [kind, given] = onlyEntry(definition, `${path}.${name}`, 'Source');
  const options = Options.from(given, `${path}.${name}.${kind}`, `Source ${kind}`);
  if (!isSourceKind(kind)) {
    throw invalid(path, `Unknown source ${quote(kind)} at ${path}: expected terms, histogram or date_histogram`);
  }
  const source = SOURCE_KINDS[kind](options, name);
  options.end();
  return source;
}

function isSourceKind(name: string): name is CompositeSource['kind'] {
  return Object.hasOwn(SOURCE_KINDS, name);
}

/** The kinds of sources, by their names. */
export const SOURCE_KINDS: {
  readonly [Kind in CompositeSource['kind']]: (options: Options, name: string) => CompositeSource;
} = {
  terms: (options, name) => ({ kind: 'terms', ...readSourceBase(options, name) }),
  histogram: (options, name) => {
    const interval = options.number('interval', { above: 0 }) ?? options.fail('interval', 'a number > 0');
    return { kind: 'histogram', ...readSourceBase(options, name), interval };
  },
  date_histogram: (options, name) => ({
    kind: 'date_histogram',
    interval: readInterval(options),
    offsetMs: readOffset(options),
    ...readSourceBase(options, name),
    ...present({ timeZone: readTimeZone(options), format: readDateFormat(options) }),
  }),
};

function readSourceBase(options: Options, name: string): CompositeSourceBase {
  if (!options.has('field') && options.has('script')) options.end();
  const field = options.text('field') ?? options.fail('field', 'a field name');
  const missingBucket = options.boolean('missing_bucket') ?? false;
  const missingOrder = options.choice('missing_order', ['default', 'first', 'last']) ?? 'default';
  if (!missingBucket && missingOrder !== 'default') {
    options.fail('missing_order', 'absent without "missing_bucket": true');
  }
  return {
    name,
    field: checkFieldName(field, options.path),
    order: options.choice('order', ['asc', 'desc']) ?? 'asc',
    missingBucket,
    missingOrder,
    path: options.path,
  };
}

function readAfter(options: Options, sources: readonly CompositeSource[]): readonly (JsonScalar | null)[] | undefined {
  const after = options.raw('after');
  if (after === undefined) return undefined;
  const expected = `an object with the keys ${sources.map(({ name }) => name).join(', ')}`;
  if (!isJsonObject(after) || Object.keys(after).length !== sources.length) {
    return options.fail('after', expected);
  }
  return sources.map(({ name }) => {
    const value = own(after, name);
    return value === null || isJsonScalar(value) ? value : options.fail('after', expected);
  });
}

/** The single entry of an object. */
function onlyEntry(value: JsonValue | undefined, path: string, what: string): [string, JsonValue] {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    throw invalid(path, `${what} at ${path} must be an object with one key`);
  }
  return entry;
}

function assertSource(source: CompositeSource, field: CompiledField): void {
  assertValues(field, source.path);
  const isNumeric = isNumberType(field.type) || field.type === 'date';
  const isFit = source.kind === 'terms' ? !isGeo(field) : isNumeric;
  if (!isFit) throw unfitField(field, source.path, source.kind);
  if (source.kind === 'date_histogram') assertDateOptions(source, field);
}

function bindAfter(
  source: CompositeSource,
  field: CompiledField | undefined,
  value: JsonScalar | null,
  nowMs: number,
): number | string | null {
  if (field === undefined) return value === null ? null : coerceAfter(source, field, value);
  const isText = source.kind === 'terms' && /^(keyword|text|ip)$/.test(field.type);
  if (value === null ? !source.missingBucket : isText && typeof value !== 'string') {
    throw invalid(
      source.path,
      `Value of "after" for ${source.path} must be ${isText ? 'a string' : 'a value of the field'}, not ${show(value)}`,
    );
  }
  if (value === null) return null;
  if (!isText) return coerceAfter(source, field, value);
  // A normalizer doesn't apply to the value.
  if (field.type !== 'ip') return String(value);
  return String(coerceIndexed(field, value, `${source.path}.after`, nowMs));
}

/**
 * Reads a value of `after` for a source whose values are compared as numbers (dates as milliseconds). A date is in the
 * format of the source.
 * @param field of numbers, dates or booleans; undefined if it is not mapped
 * @throws QueryError if the source can't have the value
 */
function coerceAfter(source: CompositeSource, field: CompiledField | undefined, value: JsonScalar): number {
  const path = `${source.path}.after`;
  if (source.kind === 'date_histogram' && source.format !== undefined) {
    return coerceDate(dateFormatOf(field, source.format, path), source.timeZone, value, path);
  }
  if (source.kind === 'terms') {
    // No document has a value to compare with.
    if (field === undefined) return 0;
    if (field.type === 'boolean') return Number(coerceBoolean(field, value, path));
  }
  if (source.kind === 'histogram' && field?.type === 'date' && typeof value !== 'number')
    return coerceDate(field.dateFormat, undefined, value, path);
  const number = typeof value === 'number' ? value : typeof value === 'string' ? toDecimal(value) : NaN;
  if (Number.isNaN(number)) {
    throw invalid(path, `Invalid value at ${path}: expected a number, not ${show(value)}`);
  }
  return number;
}

function coerceDate(format: DateFormat, timeZone: string | undefined, value: JsonScalar, path: string): number {
  const text = String(value);
  // With `now`, the next page would begin at a different value.
  const isFixed = !text.startsWith('now');
  const ms = isFixed ? parseDateMath(text, { format, nowMs: 0, timeZone }) : undefined;
  if (ms !== undefined) return ms;
  throw invalid(
    path,
    `Invalid date ${show(value)} at ${path}: expected format ${format.text} or date math on such a date`,
  );
}
