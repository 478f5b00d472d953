import { NO_DOCUMENT_METADATA } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { openTestStorage } from '../openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };
const user = (_id: string) => ({ _id, profileIds: [] });

async function filled(count = 25) {
  const storage = openTestStorage();
  await storage.run('collection.create', AT);
  const documents = Array.from({ length: count }, (_, n) => ({
    _id: `d${String(n).padStart(2, '0')}`,
    body: { n, tag: n % 2 === 0 ? 'even' : 'odd' },
  }));
  await storage.run('document.mCreate', { ...AT, body: { documents } });
  const search = (more: object = {}) => storage.run('document.search', { ...AT, ...more });
  return { ...storage, search };
}

interface Result {
  readonly _scroll_id: string;
  readonly hits: readonly { readonly _id: string }[];
}

const idsOf = (result: unknown) => (result as Result).hits.map(({ _id }) => _id);
const scrollIdOf = (result: unknown) => (result as Result)._scroll_id;

describe('document.search (SEARCH-10, DOC-20)', () => {
  it('answers in the shape of the specification, keys in its order', async () => {
    const { search, engine } = await filled(3);
    const result = await search({ body: { query: { term: { n: 1 } }, version: true }, from: '0', size: '5' });
    expect(result).toEqual({
      hits: [{ _index: 'shop', _type: 'things', _id: 'd01', _score: 1, _source: { n: 1, tag: 'odd' }, _version: 1 }],
      total: 1,
      max_score: 1,
      timed_out: false,
      took: 0,
      _shards: { total: 1, successful: 1, failed: 0 },
      from: 0,
      size: 5,
    });
    engine.search = async () => ({
      hits: [
        {
          id: 'x',
          score: null,
          version: 3,
          meta: NO_DOCUMENT_METADATA,
          sort: [1],
          highlight: { a: ['b'] },
          innerHits: { i: {} },
        },
      ],
      total: 1,
      maxScore: null,
      timedOut: true,
      aggregations: { a: { value: 1 } },
    });
    expect(JSON.stringify(await search())).toBe(
      '{"hits":[{"_index":"shop","_type":"things","_id":"x","_score":null,"sort":[1],"highlight":{"a":["b"]},"inner_hits":{"i":{}}}],"total":1,"max_score":null,"timed_out":true,"took":0,"_shards":{"total":1,"successful":1,"failed":0},"aggregations":{"a":{"value":1}}}',
    );
  });

  it('lets arguments win over the body', async () => {
    const { search } = await filled();
    expect(idsOf(await search({ body: { from: 5, size: 5 }, size: 2 }))).toEqual(['d05', 'd06']);
    expect(idsOf(await search())).toHaveLength(10);
    expect(await search({ body: null })).not.toHaveProperty('size');
  });

  it('maps refusals of the language to registered errors and keeps their message (SEARCH-91)', async () => {
    const { refusal } = await filled(1);
    const refused = (more: object) => refusal('document.search', { ...AT, ...more });
    expect(await refused({ body: { query: { resembles: {} } } })).toMatchObject({
      id: 'query.invalid',
      status: 400,
      message: expect.stringContaining('resembles') as unknown,
    });
    expect(await refused({ body: { query: { script: { script: '1' } } } })).toMatchObject({ id: 'query.forbidden' });
    expect(await refused({ size: 10_001 })).toMatchObject({ id: 'query.window_too_large' });
    for (const more of [{ from: 'abc' }, { size: '1.5' }, { from: -1 }]) {
      const [name = ''] = Object.keys(more);
      expect(await refused(more)).toMatchObject({ status: 400, message: expect.stringContaining(name) as unknown });
    }
    expect(await refusal('document.count', { ...AT, body: { aggs: {} } })).toMatchObject({ id: 'query.invalid' });
  });

  it('counts what matches', async () => {
    const { run } = await filled();
    expect(await run('document.count', { ...AT, body: { query: { term: { tag: 'odd' } } } })).toEqual({ count: 12 });
    expect(await run('document.count', AT)).toEqual({ count: 25 });
  });

  it('sees an absent collection of an existing index as empty; an absent index is a 404', async () => {
    const { run, refusal } = openTestStorage();
    await run('index.create', AT);
    expect(await run('document.search', { ...AT, body: {}, size: 3 })).toEqual({
      hits: [],
      total: 0,
      max_score: null,
      timed_out: false,
      took: 0,
      _shards: { total: 1, successful: 1, failed: 0 },
      size: 3,
    });
    expect(await run('document.count', AT)).toEqual({ count: 0 });
    const query = { query: { match_all: {} } };
    expect(await run('document.deleteByQuery', { ...AT, body: query })).toEqual({ hits: [], ids: [] });
    for (const action of ['search', 'count', 'deleteByQuery']) {
      const fields = { ...AT, index: 'none', body: query };
      expect(await refusal(`document.${action}`, fields)).toMatchObject({ id: 'storage.index_not_found' });
    }
  });

  it('takes one literal name each for index and collection (SEARCH-5)', async () => {
    const { refusal } = await filled(1);
    for (const index of ['shop,other', '*', '-shop', '_all', '<shop-{now}>']) {
      expect(await refusal('document.search', { ...AT, index })).toMatchObject({ status: 400 });
    }
  });
});

describe('document.scroll (SEARCH-81, SEARCH-82, SEARCH-83)', () => {
  it('reads everything once, echoing index and collection in the hits', async () => {
    const { search, run } = await filled();
    let page = await search({ scroll: '1m', size: 10, body: { version: true } });
    expect(Object.keys(page as object)[0]).toBe('_scroll_id');
    const ids = idsOf(page);
    for (let i = 0; i < 3; i++) {
      page = await run('document.scroll', { body: { scrollId: scrollIdOf(page), scroll: '1m' } });
      ids.push(...idsOf(page));
      expect(page).toMatchObject({ total: 25 });
      expect(page).not.toHaveProperty('size');
      if (i === 0)
        expect(page).toMatchObject({
          hits: Array.from({ length: 10 }, () => ({ _index: 'shop', _type: 'things', _version: 1 })),
        });
    }
    expect(ids).toEqual(Array.from({ length: 25 }, (_, n) => `d${String(n).padStart(2, '0')}`));
  });

  it('belongs to the user who opened it', async () => {
    const { run, refusal } = await filled();
    const page = await run('document.search', { ...AT, body: { scroll: '1m' } }, user('ann'));
    const scrollId = scrollIdOf(page);
    expect(await refusal('document.scroll', { scrollId }, user('bob'))).toMatchObject({
      id: 'query.scroll_not_found',
      status: 404,
    });
    expect(idsOf(await run('document.scroll', { scrollId }, user('ann')))).toHaveLength(10);
  });

  it.each(['1x', '0m', '25h', 'm', '-1m', ''])('refuses the span %j', async (scroll) => {
    const { search, refusal } = await filled();
    const scrollId = scrollIdOf(await search({ scroll: '1m' }));
    expect(await refusal('document.search', { ...AT, scroll })).toMatchObject({ status: 400 });
    expect(await refusal('document.scroll', { scrollId, scroll })).toMatchObject({ status: 400 });
  });

  it('opens for an absent collection too, and stays empty', async () => {
    const { run } = openTestStorage();
    await run('index.create', AT);
    const page = await run('document.search', { ...AT, scroll: '1m' });
    expect(page).toMatchObject({ hits: [], total: 0 });
    expect(await run('document.scroll', { scrollId: scrollIdOf(page) })).toMatchObject({ hits: [], total: 0 });
  });
});

describe('document.deleteByQuery (SEARCH-4)', () => {
  it('removes every match, not a page, and lists the ids twice over', async () => {
    const { run } = await filled();
    const body = { query: { term: { tag: 'odd' } } };
    const { hits, ids } = (await run('document.deleteByQuery', { ...AT, body })) as { hits: string[]; ids: string[] };
    expect(hits).toHaveLength(12);
    expect(ids).toEqual(hits);
    expect(await run('document.count', AT)).toEqual({ count: 13 });
  });

  it('keeps and does not list what was changed or removed meanwhile', async () => {
    const { run, engine } = await filled(5);
    engine.beforeWrite = () => {
      const documents = engine.indexes.get('shop')?.collections.get('things')?.documents;
      documents?.set('d01', { id: 'd01', version: 2, source: {}, meta: NO_DOCUMENT_METADATA });
      documents?.delete('d04');
    };
    const body = { query: { match_all: {} } };
    expect(await run('document.deleteByQuery', { ...AT, body })).toMatchObject({ hits: ['d00', 'd02', 'd03'] });
    expect(await run('document.get', { ...AT, _id: 'd01' })).toMatchObject({ _version: 2 });
  });

  it.each([undefined, {}, { query: {} }, { filter: {} }])('refuses %j', async (body) => {
    const { run, refusal } = await filled(2);
    expect(await refusal('document.deleteByQuery', { ...AT, body })).toMatchObject({ status: 400 });
    expect(await run('document.count', AT)).toEqual({ count: 2 });
  });
});
