import { parseSearch, type JsonObject } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { toSearchOutcome, type ServerSearchAnswer } from './toSearchOutcome.js';

const NAME = { index: 'a', collection: 'b' };

describe('toSearchOutcome', () => {
  it('takes what is larger than any score for the largest one', () => {
    const hit = { _id: 'd', _score: 'Infinity' };
    const hits = { total: { value: 1 }, max_score: null, hits: [hit] };
    const outcome = toSearchOutcome({ timed_out: false, hits }, NAME, parseSearch({}));
    expect(outcome).toMatchObject({ maxScore: 3.4028235e38, hits: [{ score: 3.4028235e38 }] });
  });

  it('counts no inner hits past the last one, as servers of version 8, and all where none are to be shown', () => {
    const total = { value: 1 };
    const answer: ServerSearchAnswer = {
      timed_out: false,
      hits: {
        total,
        max_score: 1,
        hits: [
          {
            _id: 'd',
            _score: 1,
            inner_hits: { parts: { hits: { total, max_score: null, hits: [] } } },
          },
        ],
      },
    };
    const totals = (inner: JsonObject) => {
      const nested = { path: 'parts', query: { match_all: {} }, inner_hits: inner };
      const request = parseSearch({ query: { bool: { filter: [{ nested }] } } });
      const [hit] = toSearchOutcome(answer, NAME, request).hits;
      return hit?.innerHits?.['parts'];
    };
    expect(totals({ from: 1 })).toMatchObject({ total: 0 });
    expect(totals({ size: 0 })).toMatchObject({ total: 1 });
    expect(totals({ from: 1, sort: ['parts.n'] })).toMatchObject({ total: 1 });
    expect(totals({ from: 1, sort: ['_score'] })).toMatchObject({ total: 0 });
  });
});
