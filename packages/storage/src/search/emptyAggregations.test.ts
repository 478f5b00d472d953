import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { parseSearch } from '@millrace/query';
import { emptyAggregations } from './emptyAggregations.js';

const empty = (aggs: JsonObject) => emptyAggregations(parseSearch({ aggs }).aggregations);

describe('emptyAggregations (shapes of Elasticsearch over no document)', () => {
  it.each<[JsonObject, object]>([
    [{ max: { field: 'n' } }, { value: null }],
    [{ sum: { field: 'n' } }, { value: 0 }],
    [{ cardinality: { field: 'n' } }, { value: 0 }],
    [{ stats: { field: 'n' } }, { count: 0, min: null, max: null, avg: null, sum: 0 }],
    [{ percentiles: { field: 'n', percents: [50, 99.5] } }, { values: { '50.0': null, '99.5': null } }],
    [{ percentiles: { field: 'n', percents: [50], keyed: false } }, { values: [{ key: 50, value: null }] }],
    [{ histogram: { field: 'n', interval: 5 } }, { buckets: [] }],
    [{ histogram: { field: 'n', interval: 5, keyed: true } }, { buckets: {} }],
    [
      { range: { field: 'n', ranges: [{ to: 5 }, { from: 5, to: 7.5, key: 'mid' }] } },
      { buckets: [{ key: '*-5.0', to: 5, doc_count: 0 }, { key: 'mid', from: 5, to: 7.5, doc_count: 0 }] },
    ],
    [
      { range: { field: 'd', ranges: [{ from: '5', to: '2024-01-01' }] } },
      { buckets: [{ key: '5.0-2024-01-01', from: 5, doc_count: 0 }] },
    ],
    [{ top_hits: {} }, { hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] } }],
  ])('%j', (aggregation, expected) => {
    expect(empty({ a: aggregation })).toEqual({ a: expected });
  }); // prettier-ignore

  it('goes on into the buckets that are always there, and echoes meta', () => {
    const aggs = {
      all: {
        filter: { term: { n: 1 } },
        meta: { why: 'test' },
        aggs: { lowest: { min: { field: 'n' } } },
      },
      kinds: {
        filters: { filters: { x: { term: { n: 1 } } }, other_bucket: true },
        aggs: { count: { value_count: { field: 'n' } } },
      },
      listed: { filters: { filters: [{ term: { n: 1 } }] } },
    };
    const bucket = { doc_count: 0, count: { value: 0 } };
    expect(empty(aggs)).toEqual({
      all: { meta: { why: 'test' }, doc_count: 0, lowest: { value: null } },
      kinds: { buckets: { x: bucket, _other_: bucket } },
      listed: { buckets: [{ doc_count: 0 }] },
    });
  });
});
