import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import type { JsonObject } from '@millrace/language';
import {
  bindQuery,
  compileMapping,
  deriveDynamicFields,
  mergeMapping,
  parseMapping,
  parseQuery,
  whyUndecidable,
} from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { documentScope } from './documentScope.js';
import { matches } from './matches.js';

const given = compileMapping(
  parseMapping({
    properties: {
      title: { type: 'text' },
      tag: { type: 'keyword' },
      price: { type: 'integer' },
      sent: { type: 'date' },
      place: { type: 'geo_point' },
      items: {
        type: 'nested',
        properties: { name: { type: 'keyword' }, count: { type: 'integer' } },
      },
    },
  }),
);
const document = {
  id: 'd1',
  source: {
    title: 'The Old Mill by the River',
    tag: ['red', 'green'],
    price: 12,
    sent: '2024-05-01',
    place: '48.1,11.5',
    items: [
      { name: 'nail', count: 1 },
      { name: 'screw', count: 9 },
    ],
    note: 'added by the document',
  },
  meta: { ...NO_DOCUMENT_METADATA, author: 'alice', createdAt: 1_700_000_000_000 },
};
const added = deriveDynamicFields(given, document.source) ?? parseMapping({});
const mapping = compileMapping(mergeMapping(given.mapping, added), given);
const scope = documentScope(document, mapping);
const bind = (body: JsonObject, to = mapping) => bindQuery(parseQuery(body), to, Date.UTC(2024, 4, 2)).query;

describe('matches', () => {
  it.each<[boolean, JsonObject]>([
    [true, { match: { title: { query: 'river mill', operator: 'and' } } }],
    [false, { match: { title: { query: 'river lake', operator: 'and' } } }],
    [true, { match_phrase: { title: 'old mill' } }],
    [false, { match_phrase: { title: 'mill old' } }],
    [true, { match_bool_prefix: { title: 'mill riv' } }],
    [false, { bool: { must: [{ term: { tag: 'red' } }], must_not: [{ prefix: { tag: 'gr' } }] } }],
    [true, { range: { sent: { gte: 'now-1d/d', lt: 'now' } } }],
    [false, { range: { sent: { gte: 'now/d' } } }],
    [true, { ids: { values: ['d0', 'd1'] } }],
    [false, { ids: { values: ['d0'] } }],
    [true, { term: { _id: 'd1' } }],
    [true, { term: { '_meta.author': 'alice' } }],
    [false, { exists: { field: '_meta.updater' } }],
    [true, { geo_distance: { place: { lat: 48.1, lon: 11.6 }, distance: '10km' } }],
    [false, { geo_distance: { place: { lat: 48.1, lon: 11.7 }, distance: '10km' } }],
    [true, nested({ term: { 'items.name': 'nail' } }, { term: { 'items.count': 1 } })],
    [false, nested({ term: { 'items.name': 'nail' } }, { term: { 'items.count': 9 } })],
    [true, nested({ ids: { values: ['d1'] } })],
    [true, { match: { note: 'document' } }],
    [false, { exists: { field: 'nowhere' } }],
    [true, { function_score: { query: { match_all: {} }, random_score: {} } }],
  ])('%s for %j', (expected, body) => {
    expect(matches(bind(body), scope)).toBe(expected);
  });

  it('finds no field that the mapping lacks', () => {
    const exists = { exists: { field: 'note' } };
    expect(matches(bind(exists), scope)).toBe(true);
    expect(matches(bind(exists, given), scope)).toBe(false);
    expect(matches(bind(exists), documentScope(document, given))).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['fuzzy at query.fuzzy', { fuzzy: { tag: 'rde' } }],
    ['fuzziness at query.match', { match: { title: { query: 'rivre', fuzziness: 1 } } }],
    ['fuzziness at query.match_bool_prefix', { match_bool_prefix: { title: { query: 'odl mi', fuzziness: 'AUTO' } } }],
    ['fuzz', { query_string: { query: 'tag:rde~' } }],
    ['match_phrase_prefix at query.match_phrase_prefix', { match_phrase_prefix: { title: 'old m' } }],
    ['match_phrase_prefix', { multi_match: { query: 'old m', type: 'phrase_prefix', fields: ['title'] } }],
    ['min_score at query.function_score', { function_score: { weight: 2, min_score: 1 } }],
  ])('refuses %s', (reason, body) => {
    for (const one of [
      body,
      { bool: { must_not: [body] } },
      { constant_score: { filter: body } },
      { dis_max: { queries: [{ match_all: {} }, body] } },
      { boosting: { positive: body, negative: { match_all: {} }, negative_boost: 0.5 } },
      { function_score: { query: body, weight: 2 } },
      { nested: { path: 'items', query: { bool: { should: [body] } } } },
    ]) {
      const bound = bind(one);
      if (one === body) expect(whyUndecidable(bound)).toMatch(reason);
      expect(whyUndecidable(bound)).toMatch(/ can't be decided on one document: /);
      expect(() => matches(bound, scope)).toThrow(whyUndecidable(bound) ?? 'no reason');
    }
  });

  it('decides queries whose similar clauses only change scores', () => {
    const fuzzy = { fuzzy: { tag: 'rde' } };
    const negative = { boosting: { positive: { match_all: {} }, negative: fuzzy, negative_boost: 0.5 } };
    const filtered = { function_score: { functions: [{ filter: fuzzy, weight: 2 }] } };
    expect(matches(bind(negative), scope)).toBe(true);
    expect(matches(bind(filtered), scope)).toBe(true);
  });
});

function nested(...filter: readonly JsonObject[]): JsonObject {
  return { nested: { path: 'items', query: { bool: { filter } } } };
}
