import { toWireHit } from '@millrace/kernel';
import type { JsonValue } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchThread } from './SearchThread.js';
import { TestCollection } from './TestCollection.test.support.js';

const NAME = { index: 'shop', collection: 'things' };
const things = new TestCollection({
  properties: {
    n: { type: 'integer' },
    title: { type: 'text' },
    parts: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
}).put(
  Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `d"${n}`,
      { n, title: `a "quoted" title é ${n}`, parts: [{ name: 'bolt' }, { name: `nut${n}` }] },
    ]),
  ),
);
const thread = new SearchThread({
  databaseFile: things.databaseFile,
  maxResultBytes: 64 * 1024 * 1024,
});

beforeAll(() => thread.start());
afterAll(async () => {
  await thread.stop();
  things.close();
});

/** The hits as text, parsed, and the same hits as the service writes them from an outcome. */
async function bothForms(body: JsonValue, { isLong = false } = {}) {
  const request = parseSearch(body);
  const outcome = await thread.search(1, request);
  const asText = await thread.search(1, request, { prefersText: true, wireName: NAME });
  const { hitsText = '' } = asText;
  expect(typeof hitsText).toBe(isLong ? 'object' : 'string');
  const text = typeof hitsText === 'string' ? hitsText : Buffer.from(hitsText).toString();
  expect(asText).toMatchObject({
    hits: [],
    total: outcome.total,
    maxScore: outcome.maxScore,
    timedOut: false,
  });
  return {
    ours: { hits: JSON.parse(text) as unknown, aggregations: asText.aggregationsText },
    expected: {
      hits: outcome.hits.map((hit) => toWireHit(hit, NAME, request.version)),
      aggregations: outcome.aggregations && JSON.stringify(outcome.aggregations),
    },
  };
}

const MATCH = { match: { title: 'quoted' } };
const NESTED = {
  nested: { path: 'parts', query: { term: { 'parts.name': 'bolt' } }, inner_hits: {} },
};

describe('hits in the form in which clients receive them (SEARCH-10)', () => {
  it.each<[string, JsonValue]>([
    ['scores', { query: MATCH, size: 5 }],
    ['no hits', { query: { term: { n: -1 } } }],
    ['no hits wanted', { query: MATCH, size: 0 }],
    ['a sort and versions', { query: MATCH, sort: [{ n: 'desc' }], version: true }],
    ['no sources', { query: MATCH, _source: false }],
    ['parts of sources', { query: MATCH, _source: ['n', 'parts.*'] }],
    ['highlights', { query: MATCH, highlight: { fields: { title: {} } } }],
    ['inner hits', { query: NESTED, size: 3 }],
    ['aggregations', { query: MATCH, aggs: { sum: { sum: { field: 'n' } } } }],
  ])('have %s', async (_, body) => {
    const { ours, expected } = await bothForms(body);
    expect(ours).toEqual(expected);
  });

  it('are UTF-8 if they are long', async () => {
    const long = new Array(8_000).fill('é').join('');
    things.put(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`long${n}`, { n: 1_000, long }])));
    const body = { query: { term: { n: 1_000 } }, sort: ['_id'], size: 50 };
    const { ours, expected } = await bothForms(body, { isLong: true });
    expect(ours).toEqual(expected);
  });
});
