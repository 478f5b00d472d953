import { isJsonObject, isJsonScalar, type JsonValue } from '@millrace/language';
import { MAX_BUCKETS } from '../../MAX_BUCKETS.js';
import { present } from '../../present.js';
import type { AggregationBase, BucketOrder, TermsAggregation, TermsFilter } from '../../tree/Aggregation.js';
import { Options } from '../Options.js';
import { readField } from './aggregationField.js';
import { readOrder } from './bucketOrder.js';

const MAX_PATTERN_LENGTH = 1000;

const BY_COUNT: readonly BucketOrder[] = [
  { by: 'count', order: 'desc' },
  { by: 'key', order: 'asc' },
];

export function parseTerms(options: Options, base: AggregationBase): TermsAggregation {
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
}

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
