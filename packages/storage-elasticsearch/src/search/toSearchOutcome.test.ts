import type { JsonObject } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { toSearchOutcome, type ElasticsearchSearchAnswer } from './toSearchOutcome.js';

const NAME = { index: 'a', collection: 'b' };

describe('toSearchOutcome', () => {
  it('takes what is larger than any score for the largest one', async () => {
    const hit = { _id: 'd', _score: 'Infinity' };
    const hits = { total: { value: 1 }, max_score: null, hits: [hit] };
    const outcome = await toSearchOutcome({ timed_out: false, hits }, NAME, parseSearch({}));
    expect(outcome).toMatchObject({ maxScore: 3.4028235e38, hits: [{ score: 3.4028235e38 }] });
  });

  it('gives sources as text to a caller that forwards them', async () => {
    const hit = { _id: 'd', _score: 1, _source: { a: [1], b: 'x' } };
    const hits = { total: { value: 1 }, max_score: 1, hits: [hit] };
    const convert = async (prefersText: boolean) => {
      const answer = { timed_out: false, hits };
      const outcome = await toSearchOutcome(answer, NAME, parseSearch({}), { prefersText });
      const [{ source, sourceText } = {}] = outcome.hits;
      return { source, sourceText };
    };
    expect(await convert(true)).toEqual({ sourceText: '{"a":[1],"b":"x"}' });
    expect(await convert(false)).toEqual({ source: { a: [1], b: 'x' } });
  });

  it('lets other work run while many buckets are converted', async () => {
    const date = { field: 'd', calendar_interval: 'day', format: 'yyyy-MM-dd' };
    const composite = { size: 10_000, sources: [{ day: { date_histogram: date } }] };
    const top = { top_hits: { _source: { excludes: ['x'] } } };
    const hit = { _id: 'd', _score: 1, _source: { a: 1, x: 2 } };
    const hits = { total: { value: 1 }, max_score: 1, hits: [] };
    const buckets = Array.from({ length: 10_000 }, (_, n) => ({
      key: { day: n * 86_400_000 },
      inner: { hits: { ...hits, hits: [hit] } },
    }));
    for (const aggs of [
      { all: { composite } },
      { all: { terms: { field: 'k', size: 10_000 }, aggs: { inner: top } } },
    ]) {
      let hasOtherRun = false;
      setImmediate(() => (hasOtherRun = true));
      const answer = { timed_out: false, hits, aggregations: { all: { buckets } } };
      const { aggregations } = await toSearchOutcome(answer, NAME, parseSearch({ aggs }));
      expect(hasOtherRun).toBe(true);
      expect((aggregations?.['all'] as typeof answer.aggregations.all).buckets).toHaveLength(10_000);
    }
  });

  it('drops the inner hits before the page, and keeps the total', async () => {
    const objects = ['a', 'b', 'c'].map((k) => ({ _id: 'd', _score: 1, _source: { k } }));
    const innerHits = { parts: { hits: { total: { value: 3 }, max_score: 1, hits: objects } } };
    const answer: ElasticsearchSearchAnswer = {
      timed_out: false,
      hits: {
        total: { value: 1 },
        max_score: 1,
        hits: [{ _id: 'd', _score: 1, inner_hits: innerHits }],
      },
    };
    const parts = async (inner: JsonObject) => {
      const nested = { path: 'parts', query: { match_all: {} }, inner_hits: inner };
      const request = parseSearch({ query: { bool: { filter: [{ nested }] } } });
      const { hits } = await toSearchOutcome(answer, NAME, request);
      return hits[0]?.innerHits?.['parts'];
    };
    expect(await parts({})).toMatchObject({ hits: objects, total: 3, max_score: 1 });
    expect(await parts({ from: 2, size: 1 })).toMatchObject({ hits: [objects[2]], total: 3 });
    expect(await parts({ from: 5 })).toMatchObject({ hits: [], total: 3 });
  });
});
