import { isJsonObject, type JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import { present } from '../../present.js';
import type * as tree from '../../tree/Aggregation.js';
import { checkContentField } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { readTimeZone } from '../../kinds/termKinds.js';
import type { QueryParser } from '../QueryParser.js';
import { readDateFormat } from '../readDateFormat.js';
import { readField } from './aggregationField.js';

const MAX_RANGES = 1024;

export function parseRange(options: Options, base: tree.AggregationBase): tree.RangeAggregation {
  return {
    kind: 'range',
    ...readField(options, base),
    ranges: readRanges(options),
    keyed: options.boolean('keyed') ?? false,
    ...present({ format: options.text('format') }),
  };
}

export function parseDateRange(options: Options, base: tree.AggregationBase): tree.DateRangeAggregation {
  return {
    kind: 'date_range',
    ...readField(options, base),
    ranges: readRanges(options),
    keyed: options.boolean('keyed') ?? false,
    ...present({ format: readDateFormat(options), timeZone: readTimeZone(options) }),
  };
}

function readRanges(options: Options): readonly tree.BucketRange[] {
  const list = options.raw('ranges');
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_RANGES) {
    return options.fail('ranges', `a list of 1 to ${MAX_RANGES} ranges {from, to, key}`);
  }
  return (list as readonly JsonValue[]).map((item, position) => {
    const range = Options.from(item, `${options.path}.ranges[${position}]`, 'Range');
    const [key, from, to] = [range.looseText('key'), range.scalar('from'), range.scalar('to')];
    range.end();
    return present({ key, from, to });
  });
}

export function parseFilter(
  options: Options,
  base: tree.AggregationBase,
  queries: QueryParser,
): tree.FilterAggregation {
  for (const key of options.rest()) options.drop(key);
  const path = base.path.slice(0, -'.filter'.length);
  return { kind: 'filter', ...base, filter: queries.parse(options.source, `${path}.filter`) };
}

export function parseFilters(
  options: Options,
  base: tree.AggregationBase,
  queries: QueryParser,
): tree.FiltersAggregation {
  const given = options.raw('filters');
  const path = `${base.path}.filters`;
  const isNamed = isJsonObject(given);
  if (!isNamed && !Array.isArray(given)) return options.fail('filters', 'an object or a list of queries');
  const entries: readonly (readonly [string, JsonValue])[] = isNamed
    ? Object.entries(given)
    : (given as readonly JsonValue[]).map((query, position) => [String(position), query] as const);
  if (entries.length === 0) options.fail('filters', 'at least one query');
  const otherKey = options.text('other_bucket_key');
  const hasOther = options.boolean('other_bucket') ?? otherKey !== undefined;
  return {
    kind: 'filters',
    ...base,
    keyed: isNamed,
    filters: entries.map(([key, query]) => ({
      key,
      filter: queries.parse(query, isNamed ? `${path}.${key}` : `${path}[${key}]`),
    })),
    ...present({ otherBucketKey: hasOther ? (otherKey ?? '_other_') : undefined }),
  };
}

export function parseMissing(options: Options, base: tree.AggregationBase): tree.MissingAggregation {
  return { kind: 'missing', ...readField(options, base) };
}

export function parseGlobal(_options: Options, base: tree.AggregationBase): tree.GlobalAggregation {
  return { kind: 'global', ...base };
}

export function parseNested(options: Options, base: tree.AggregationBase): tree.NestedAggregation {
  const path = options.text('path') ?? options.fail('path', 'the path of a nested field');
  return { kind: 'nested', ...base, nestedPath: checkContentField(path, options.path) };
}

export function parseReverseNested(options: Options, base: tree.AggregationBase): tree.ReverseNestedAggregation {
  const path = options.text('path');
  if (path !== undefined) checkContentField(path, options.path);
  return { kind: 'reverse_nested', ...base, ...present({ nestedPath: path }) };
}

/** For sources of `composite`: the single entry of an object. */
export function onlyEntry(value: JsonValue | undefined, path: string, what: string): [string, JsonValue] {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    throw invalid(path, `${what} at ${path} must be an object with one key`);
  }
  return entry;
}
