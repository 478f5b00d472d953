import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
import { AGGREGATION_KINDS, aggregationKind } from './AGGREGATION_KINDS.js';
import { forbidden, invalid } from '../errors.js';
import { present } from '../present.js';
import { quote, show } from '../show.js';
import type { Aggregation, AggregationBase } from '../tree/Aggregation.js';
import { Options } from '../parse/Options.js';
import type { QueryParser } from '../parse/QueryParser.js';

const MAX_DEPTH = 10;
const MAX_AGGREGATIONS = 1024;
const MAX_NAME_LENGTH = 512;

/** Aggregations with scripts (SEARCH-70). */
const FORBIDDEN_KINDS: ReadonlySet<string> = new Set([
  'scripted_metric',
  'bucket_script',
  'bucket_selector',
  'moving_fn',
]);

/** The aggregations that Elasticsearch allows around `composite`, which must see each document once. */
const COMPOSITE_PARENTS: ReadonlySet<string> = new Set(['nested', 'filter']);

const PIPELINE_KINDS: ReadonlySet<string> = new Set([
  'avg_bucket',
  'bucket_correlation',
  'bucket_count_ks_test',
  'bucket_sort',
  'change_point',
  'cumulative_cardinality',
  'cumulative_sum',
  'derivative',
  'extended_stats_bucket',
  'inference',
  'max_bucket',
  'min_bucket',
  'moving_avg',
  'moving_percentiles',
  'normalize',
  'percentiles_bucket',
  'serial_diff',
  'stats_bucket',
  'sum_bucket',
]);

/** Parses the aggregations of one request (SEARCH-50). */
export class AggregationParser {
  private count = 0;

  constructor(readonly queries: QueryParser) {}

  parse(value: JsonValue, path: string, depth = 1, parentKinds: readonly string[] = []): readonly Aggregation[] {
    if (!isJsonObject(value)) {
      throw invalid(path, `Aggregations at ${path} must be an object, not ${show(value)}`);
    }
    if (depth > MAX_DEPTH) {
      throw invalid(path, `Aggregations at ${path} are nested deeper than ${MAX_DEPTH} levels`);
    }
    return Object.entries(value).map(([name, definition]) => {
      if (name === '' || name.length > MAX_NAME_LENGTH || /[[\]>]/.test(name)) {
        throw invalid(path, `Aggregation name ${quote(name)} at ${path} must not be empty, long or hold [ ] >`);
      }
      this.count += 1;
      if (this.count > MAX_AGGREGATIONS) {
        throw invalid(path, `The request has more than ${MAX_AGGREGATIONS} aggregations`);
      }
      return this.parseOne(name, definition, `${path}.${name}`, depth, parentKinds);
    });
  }

  private parseOne(
    name: string,
    given: JsonValue,
    path: string,
    depth: number,
    parentKinds: readonly string[],
  ): Aggregation {
    const outer = Options.from(given, path, `Aggregation ${quote(name)}`);
    const meta = readMeta(outer);
    const children = readChildren(outer);
    const [kind, second] = outer.rest();
    if (kind === undefined) throw invalid(path, `Aggregation at ${path} has no type`);
    if (second !== undefined) {
      throw invalid(path, `Aggregation at ${path} must have one type, not ${quote(kind)} and ${quote(second)}`);
    }
    if (!isKind(kind)) throw refuseKind(kind, path);
    const definition = AGGREGATION_KINDS[kind];
    if (children !== undefined && definition.children === null) {
      throw invalid(path, `Aggregation ${kind} at ${path} takes no sub-aggregations`);
    }
    if (kind === 'global' && depth > 1) {
      throw invalid(path, `Aggregation global at ${path} is allowed on the top level only`);
    }
    const strange = parentKinds.find((parent) => !COMPOSITE_PARENTS.has(parent));
    if (kind === 'composite' && strange !== undefined) {
      throw invalid(path, `Aggregation composite at ${path} cannot be below ${strange}: only below nested and filter`);
    }
    const ownPath = `${path}.${kind}`;
    const aggregations =
      children === undefined
        ? []
        : this.parse(children.value, `${path}.${children.key}`, depth + 1, [...parentKinds, kind]);
    const base: AggregationBase = present({ name, path: ownPath, aggregations, meta });
    const options = Options.from(outer.raw(kind), ownPath, `Aggregation ${kind}`);
    const aggregation = definition.parse(options, base, this.queries);
    options.end();
    checkOrders(aggregation);
    return aggregation;
  }
}

function isKind(kind: string): kind is Aggregation['kind'] {
  return Object.hasOwn(AGGREGATION_KINDS, kind);
}

function readMeta(outer: Options): JsonObject | undefined {
  const meta = outer.raw('meta');
  return meta === undefined || isJsonObject(meta) ? meta : outer.fail('meta', 'an object');
}

function readChildren(outer: Options): { readonly key: string; readonly value: JsonValue } | undefined {
  const [long, short] = [outer.raw('aggregations'), outer.raw('aggs')];
  if (long !== undefined && short !== undefined) {
    throw invalid(outer.path, `"aggs" and "aggregations" at ${outer.path} mean the same: give one`);
  }
  if (long !== undefined) return { key: 'aggregations', value: long };
  return short === undefined ? undefined : { key: 'aggs', value: short };
}

function refuseKind(kind: string, path: string): Error {
  const place = `${path}.${kind}`;
  if (FORBIDDEN_KINDS.has(kind)) {
    return forbidden(place, `Aggregation ${quote(kind)} at ${path} is not allowed`);
  }
  if (PIPELINE_KINDS.has(kind)) {
    return invalid(place, `Pipeline aggregation ${quote(kind)} at ${path} is not supported`);
  }
  const known = Object.keys(AGGREGATION_KINDS);
  return invalid(place, `Unknown aggregation ${quote(kind)} at ${path}`, { name: kind, known });
}

/** @throws QueryError if an order doesn't refer to a single value of the sub-aggregations */
function checkOrders(aggregation: Aggregation): void {
  if (!('order' in aggregation)) return;
  for (const { by } of aggregation.order) {
    if (typeof by === 'string') continue;
    if (!isSingleValue(aggregation.aggregations, by.metric)) {
      throw invalid(
        `${aggregation.path}.order`,
        `order at ${aggregation.path} names no single-value metric: ${quote(by.metric.join('.'))}`,
      );
    }
  }
}

function isSingleValue(children: readonly Aggregation[], path: readonly string[]): boolean {
  const [name, ...rest] = path;
  const child = children.find((candidate) => candidate.name === name);
  if (child === undefined) {
    // A name may contain dots.
    const [second, ...others] = rest;
    return second !== undefined && isSingleValue(children, [`${name ?? ''}.${second}`, ...others]);
  }
  const { children: inner, hasValue } = aggregationKind(child);
  if (inner === 'in result') {
    return rest.length === 0 || (rest.length === 1 && rest[0] === '_count') || isSingleValue(child.aggregations, rest);
  }
  const [value, more] = rest;
  return more === undefined && hasValue?.(child, value) === true;
}
