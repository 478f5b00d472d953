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
