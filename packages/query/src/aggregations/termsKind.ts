import { isJsonObject, isJsonScalar, type JsonValue } from '@millrace/language';
import { coerceIndexed } from '../coerce/coerceTerm.js';
import { compileRegexp } from '../coerce/compileRegexp.js';
import { formatIp } from '../mapping/ip.js';
import { invalid } from '../errors.js';
import type { CompiledField } from '../mapping/CompiledMapping.js';
import { MAX_BUCKETS } from '../MAX_BUCKETS.js';
import { Options } from '../parse/Options.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import type { BucketOrder, TermsFilter } from '../tree/Aggregation.js';
import type { BoundTermsFilter } from '../tree/BoundAggregation.js';
import { SUPPOSED_VALUES, type AggregationKind } from './AggregationKind.js';
import { readOrder } from './bucketOrder.js';
import { isGeo, isKeyed, readField, valuesBinder } from './fieldValues.js';

const MAX_PATTERN_LENGTH = 1000;

const BY_COUNT: readonly BucketOrder[] = [
  { by: 'count', order: 'desc' },
  { by: 'key', order: 'asc' },
];

/** Keys of one `terms` that is counted change by change. */
const MAX_KEYS = 10_000;

const bindTerms = valuesBinder((field) => !isGeo(field) && field.type !== 'binary');

/** `terms`. */
export const TERMS_KIND: AggregationKind<'terms'> = {
  parse(options, base) {
    if (isJsonObject(options.raw('include')) && options.has('exclude')) {
      options.fail('exclude', 'absent with a partition');
    }
    // Accepted without effect: a single shard counts exactly.
    options.drop('shard_size', 'shard_min_doc_count', 'show_term_doc_count_error', 'execution_hint');
    options.drop('collect_mode');
    return {
      kind: 'terms',
      ...readField(options, base),
      size: options.number('size', { min: 1, max: MAX_BUCKETS, isInteger: true }) ?? 10,
      order: readOrder(options, BY_COUNT),
      minDocCount: options.number('min_doc_count', { min: 0, isInteger: true }) ?? 1,
      ...present({
        include: readTermsFilter(options, 'include'),
        exclude: readTermsFilter(options, 'exclude'),
        format: options.text('format'),
      }),
    };
  },
  bind(aggregation, place) {
    const { include, exclude, path } = aggregation;
    const bound = bindTerms(aggregation, place);
    const { mapped } = bound;
    return {
      ...bound,
      includes: bindTermsFilter(include, mapped, path),
      excludes: bindTermsFilter(exclude, mapped, path),
    };
  },
  children: 'in buckets',
  counts: ({ size }) => ({ buckets: size, placements: SUPPOSED_VALUES, certain: 0 }),
  whyNotCounted({ mapped, size, minDocCount, format }) {
    if (size > MAX_KEYS) return `more than ${MAX_KEYS} keys`;
    if (minDocCount < 1) return 'min_doc_count 0 lists the values of all documents';
    return isKeyed(mapped) && format === undefined ? null : 'the order of the keys needs all documents';
  },
};

function readTermsFilter(options: Options, key: 'include' | 'exclude'): TermsFilter | undefined {
  const value = options.raw(key);
  const expected = `a pattern, a list of values${key === 'include' ? ' or a partition' : ''}`;
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    if (value.length > MAX_PATTERN_LENGTH) options.fail(key, `at most ${MAX_PATTERN_LENGTH} characters long`);
    return { kind: 'pattern', pattern: value };
  }
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    if (list.length > MAX_BUCKETS) options.fail(key, `a list of at most ${MAX_BUCKETS} values`);
    return {
      kind: 'values',
      values: list.map((item) => (isJsonScalar(item) ? item : options.fail(key, expected))),
    };
  }
  if (key === 'exclude' || !isJsonObject(value)) return options.fail(key, expected);
  const inner = new Options(value, `${options.path}.include`, 'include');
  const partitionCount =
    inner.number('num_partitions', { min: 1, isInteger: true }) ?? inner.fail('num_partitions', 'an integer ≥ 1');
  const partition =
    inner.number('partition', { min: 0, max: partitionCount - 1, isInteger: true }) ??
    inner.fail('partition', `an integer from 0 to ${partitionCount - 1}`);
  inner.end();
  return { kind: 'partition', partition, partitionCount };
}

/** @throws QueryError for values and patterns that don't fit the field */
function bindTermsFilter(
  filter: TermsFilter | undefined,
  field: CompiledField | undefined,
  path: string,
): BoundTermsFilter | undefined {
  if (filter === undefined || filter.kind === 'partition') return filter;
  const isText = field === undefined || field.type === 'keyword' || field.type === 'text';
  if (filter.kind === 'pattern') {
    if (!isText) {
      throw invalid(
        path,
        `A pattern of terms at ${path} needs strings; ${quote(field.name)} is ${field.type}: give a list`,
      );
    }
    const accepts = compileRegexp(filter.pattern, { flags: 'ALL', caseInsensitive: false, path });
    return { kind: 'pattern', accepts };
  }
  if (isText) return { kind: 'values', keys: new Set(filter.values.map(String)) };
  const keys = filter.values.flatMap((value) => keyOf(field, String(value), path) ?? []);
  return { kind: 'values', keys: new Set(keys) };
}

function keyOf(field: CompiledField, value: string, path: string): string | number | undefined {
  const indexed = coerceIndexed(field, value, path, 0);
  if (field.type === 'boolean') return value;
  return field.type === 'ip' ? formatIp(String(indexed)) : indexed;
}
