import type { DocumentGrant, JsonObject } from '@millrace/kernel';
import { parseQuery, parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';
import { searchViewOf } from './searchViewOf.js';

const things = new TestCollection({
  properties: {
    owner: { type: 'keyword' },
    title: { type: 'text' },
    secret: { type: 'text' },
    items: { type: 'nested', properties: { name: { type: 'keyword' }, price: { type: 'integer' } } },
  },
}).put({
  a: { owner: 'ada', title: 'mill', secret: 'river', items: [{ name: 'bolt', price: 1 }] },
  b: { owner: 'bob', title: 'weir', secret: 'mill', items: [{ name: 'nut', price: 2 }] },
  c: { owner: 'cyd', title: 'mill race', secret: 'lane' },
});

const grant = (owner: string | null, fields: DocumentGrant['fields'] = null): DocumentGrant => ({
  documents: owner === null ? null : parseQuery({ term: { owner } }),
  check: null,
  fields,
});

/** Searches under a right with these grants. */
function searchAs(grants: readonly DocumentGrant[], body: JsonObject = {}) {
  return things.run({ ...parseSearch({ sort: ['_id'], ...body }), view: searchViewOf({ key: 'k', grants }) });
}
const sourcesAs = (grants: readonly DocumentGrant[], body?: JsonObject) =>
  Object.fromEntries(searchAs(grants, body).hits.map(({ id, source }) => [id, source]));
const idsAs = (grants: readonly DocumentGrant[], body?: JsonObject) => Object.keys(sourcesAs(grants, body));

describe('a search under a right to some documents (SEC-82, SEC-84)', () => {
  it('finds those of every grant', () => {
    expect(idsAs([grant('ada')])).toEqual(['a']);
    expect(idsAs([grant('ada'), grant('cyd')])).toEqual(['a', 'c']);
    expect(idsAs([grant('ada'), grant(null)])).toEqual(['a', 'b', 'c']);
    expect(idsAs([])).toEqual([]);
  });

  it('aggregates those alone', () => {
    const aggs = { owners: { terms: { field: 'owner', min_doc_count: 0 } }, all: { global: {} } };
    expect(searchAs([grant('ada')], { size: 0, aggs }).aggregations).toMatchObject({
      owners: { buckets: [{ key: 'ada', doc_count: 1 }] },
      all: { doc_count: 1 },
    });
  });
});

describe('a search under a right to some fields (SEC-83)', () => {
  const titles = [grant(null, { only: ['owner', 'title'] })];

  it('shows no others in sources, highlights and inner hits', () => {
    const query = {
      bool: {
        must: { match: { title: 'mill' } },
        should: { nested: { path: 'items', query: { term: { 'items.name': 'bolt' } }, inner_hits: {} } },
      },
    };
    const right = [grant(null, { except: ['secret', 'items.price'] })];
    const [first] = searchAs(right, { query, highlight: { fields: { '*': { require_field_match: false } } } }).hits;
    expect(first).toMatchObject({
      id: 'a',
      source: { owner: 'ada', title: 'mill', items: [{ name: 'bolt' }] },
      highlight: { title: ['<em>mill</em>'] },
    });
    expect(JSON.stringify(first)).not.toMatch(/secret|river|price/);
    expect(JSON.stringify(first?.innerHits)).toContain('bolt');
    expect(sourcesAs(titles)['a']).toEqual({ owner: 'ada', title: 'mill' });
  });

  it('shows no others in top_hits', () => {
    const aggs = { top: { top_hits: { sort: ['_id'], size: 1 } } };
    const shown = JSON.stringify(searchAs(titles, { size: 0, aggs }).aggregations);
    expect(shown).toContain('mill');
    expect(shown).not.toMatch(/secret|river|price/);
  });

  it('passes over them in queries without fields', () => {
    for (const query of [{ query_string: { query: 'mill' } }, { multi_match: { query: 'mill', fields: ['*'] } }]) {
      expect(idsAs(titles, { query })).toEqual(['a', 'c']);
      expect(idsAs([grant(null)], { query })).toEqual(['a', 'b', 'c']);
    }
  });
});

describe('a search under several grants with different fields (SEC-84)', () => {
  it('shows of each document the fields of all grants that cover it', () => {
    const grants = [grant(null, { only: ['title'] }), grant('bob', { only: ['secret'] }), grant('cyd')];
    expect(sourcesAs(grants)).toEqual({
      a: { title: 'mill' },
      b: { title: 'weir', secret: 'mill' },
      c: { owner: 'cyd', title: 'mill race', secret: 'lane' },
    });
  });
});
