import type { JsonObject } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { toAggregationResults } from './toAggregationResults.js';

const SHOWN = { name: { index: 'a', collection: 'b' }, fields: null };
const DAY_MS = Date.UTC(2024, 0, 1);

describe('toAggregationResults', () => {
  const days = { field: 'd', calendar_interval: 'day', format: 'yyyy-MM-dd' };
  const sources = [{ day: { date_histogram: days } }, { k: { terms: { field: 'k' } } }];
  const aggs = { pages: { composite: { sources } } };
  const { aggregations } = parseSearch({ aggs: { some: { filter: { match_all: {} }, aggs } } });
  const convert = (keys: readonly JsonObject[]) => {
    const pages = { after_key: keys.at(-1) ?? {}, buckets: keys.map((key) => ({ key })) };
    const steps = toAggregationResults({ some: { pages } }, aggregations, SHOWN);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return (value['some'] as { pages: JsonObject }).pages;
    }
  };

  it('writes the dates of composite keys, which Elasticsearch returns in milliseconds', () => {
    const keys = [
      { day: null, k: 5 },
      { day: DAY_MS, k: 5 },
    ];
    const last = { day: '2024-01-01', k: 5 };
    expect(convert(keys)).toEqual({
      after_key: last,
      buckets: [{ key: { day: null, k: 5 } }, { key: last }],
    });
  });

  it('refuses dates that their text does not lead back to', () => {
    expect(() => convert([{ day: DAY_MS + 1, k: 5 }])).toThrow(/Format yyyy-MM-dd at aggs\.some/);
  });
});
