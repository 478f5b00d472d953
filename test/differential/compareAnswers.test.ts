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
const kinds = (left: Answer, right: Answer, request: JsonObject = {}, isChanged = false) =>
  [...compareAnswers(left, right, { request, mapping: {}, isChanged })].map(({ kind }) => kind);
const [a, b] = [hit('a', 1), hit('b', 0.5)];

describe('compareAnswers', () => {
  it('compares error ids, and who refuses', () => {
    const refused = (error: string): Answer => ({ isRefused: true, error, reason: 'so' });
    expect(kinds(refused('x'), refused('x'))).toEqual([]);
    expect(kinds(refused('x'), refused('y'))).toEqual(['error']);
    expect(kinds(refused('x'), answer([]))).toEqual(['refused by the embedded engine alone']);
    expect(kinds(answer([]), refused('x'))).toEqual(['refused by Elasticsearch alone']);
  });

  it('compares the set of hits, and their order under a sort that ends in _id', () => {
    expect(kinds(answer([a, b]), answer([a]))).toEqual(['total']);
    expect(kinds(answer([a]), answer([b]))).toEqual(['hits']);
    const request = { sort: ['long', { _id: 'asc' }] };
    const [first, second] = [hit('a', 1, { sort: [1, 'a'] }), hit('b', 1, { sort: [1, 'b'] })];
    expect(kinds(answer([first, second]), answer([second, first]), request)).toEqual(['order']);
    expect(kinds(answer([first]), answer([{ ...first, sort: [2, 'a'] }]), request)).toEqual(['sort values']);
  });

  it('compares rankings by match where scores differ by more than 1 %, unless documents changed', () => {
    const request = { query: { match: { text: 'mill' } } };
    const swapped = answer([hit('b', 1), hit('a', 0.5)]);
    expect(kinds(answer([a, b]), swapped, request)).toEqual(['ranking']);
    expect(kinds(answer([a, b]), swapped, request, true)).toEqual([]);
    expect(kinds(answer([a, b]), swapped, { query: { fuzzy: { text: 'mill' } } })).toEqual([]);
    const near = answer([hit('b', 1.001), hit('a', 1)]);
    expect(kinds(answer([a, hit('b', 0.999)]), near, request)).toEqual([]);
  });

  it('compares highlighted fields and marks of one condition', () => {
    const request = { highlight: { number_of_fragments: 0 }, query: { match: { t: 'mill race' } } };
    const marked = (highlight: JsonObject) => answer([hit('a', 1, { highlight })]);
    const left = marked({ t: ['<em>mill</em> <em>race</em>'] });
    expect(kinds(left, marked({ t: ['mill <em>race</em>'] }), request)).toEqual([]);
    expect(kinds(left, marked({ t: ['mill race'] }), request)).toEqual(['highlight without a mark', 'marked words']);
    expect(kinds(left, marked({ t: ['<em>weir</em>'] }), request)).toEqual(['marked words']);
    expect(kinds(left, marked({}), request)).toEqual(['highlighted fields']);
    const compound = { ...request, query: { bool: { must_not: [] } } };
    expect(kinds(left, marked({}), compound)).toEqual([]);
  });

  it('compares aggregations but for formatted numbers, and percentiles by their neighbours', () => {
    const aggs = { a: { stats: { field: 'long' } }, p: { percentiles: { field: 'long' } } };
    const values = (sum: number, median: number, text = '1') =>
      answer([], {
        a: { sum, sum_as_string: text },
        p: { values: { '25.0': 1, '50.0': median, '75.0': 9 } },
      });
    expect(kinds(values(1, 3), values(1, 8, '1.0'), { aggs })).toEqual([]);
    expect(kinds(values(1, 3), values(2, 10), { aggs })).toEqual(['aggregations.a.sum', 'aggregations.p.values']);
  });

  it('reports differences next to others', () => {
    const [left, right] = [hit('a', 1, { source: { t: 1 } }), hit('a', 1, { source: { t: 2 } })];
    expect(kinds(answer([left], { n: 1 }), answer([right], { n: 2 }))).toEqual(['_source', 'aggregations.n']);
  });
});
