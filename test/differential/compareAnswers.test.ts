import { NO_DOCUMENT_METADATA, type JsonObject, type SearchHit } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import type { Answer } from './Answer.js';
import { compareAnswers } from './compareAnswers.js';

const hit = (id: string, score: number, more: Partial<SearchHit> = {}): SearchHit => ({
  id,
  score,
  version: 1,
  meta: NO_DOCUMENT_METADATA,
  source: {},
  ...more,
});
const answer = (hits: readonly SearchHit[], aggregations: JsonObject = {}): Answer => ({
  isRefused: false,
  outcome: { hits, total: hits.length, maxScore: 1, timedOut: false, aggregations },
});
const kinds = (left: Answer, right: Answer) =>
  [...compareAnswers(left, right, { from: 0, size: 10 })].map(({ kind }) => kind);

describe('compareAnswers', () => {
  it('goes on behind a difference, so that a listed one hides no other', () => {
    const left = answer([hit('a', 1, { highlight: { t: ['x'] } })], { s: { error: 0, sum: 1 } });
    const right = answer([hit('a', 1, { highlight: { t: ['y'] } })], { s: { error: -1, sum: 2 } });
    expect(kinds(left, right)).toEqual(['highlight', 'aggregations.s.error', 'aggregations.s.sum']);
  });

  it('says nothing of what follows from other totals or another order', () => {
    expect(kinds(answer([hit('a', 1)], { n: 1 }), answer([], { n: 2 }))).toEqual(['total']);
    const [a, b] = [hit('a', 1), hit('b', 0.5)];
    const other = hit('b', 0.7, { version: 2 });
    expect(kinds(answer([a, b], { n: 1 }), answer([a, other], { n: 2 }))).toEqual([
      'score order',
      'aggregations.n',
    ]);
  });

  it('leaves hits of equal score their order', () => {
    const [a, b] = [hit('a', 1), hit('b', 1)];
    expect(kinds(answer([a, b]), answer([b, a]))).toEqual([]);
  });

  it('compares ids of refusals, and who refuses', () => {
    const refused = (error: string): Answer => ({ isRefused: true, error, reason: 'so' });
    expect(kinds(refused('x'), refused('x'))).toEqual([]);
    expect(kinds(refused('x'), refused('y'))).toEqual(['error']);
    expect(kinds(refused('x'), answer([]))).toEqual(['refused by the embedded engine alone']);
    expect(kinds(answer([]), refused('x'))).toEqual(['refused by the server alone']);
  });
});
