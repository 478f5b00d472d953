import type { JsonObject } from '@millrace/kernel';
import { expect, it } from 'vitest';
import { onEveryEngine } from './onEveryEngine.js';

onEveryEngine('collections (decisions.md section 6)', (server) => {
  it('list: realtime has every collection with subscriptions, all has both entries', async () => {
    const { http, message, newIndex, connect } = server();
    const index = newIndex();
    for (const name of ['alpha', 'gamma']) await http('PUT', `/${index}/${name}`);
    const client = await connect();
    for (const collection of ['gamma', 'beta']) {
      const subscribed = { controller: 'realtime', action: 'subscribe', index, collection };
      expect(await client.request({ ...subscribed, body: {} })).toMatchObject({ status: 200 });
    }
    const collections = {
      all: ['stored alpha', 'realtime beta', 'realtime gamma', 'stored gamma'],
      realtime: ['realtime beta', 'realtime gamma'],
      stored: ['stored alpha', 'stored gamma'],
    };
    const shown = ({ result }: { readonly result: unknown }) =>
      (result as { collections: { type: string; name: string }[] }).collections.map(({ type, name }) => `${type} ${name}`); // prettier-ignore
    for (const [type, expected] of Object.entries(collections)) {
      expect(shown((await http('GET', `/${index}/_list/${type}`)).body)).toEqual(expected);
      const listed = await message({ controller: 'collection', action: 'list', index, type });
      expect(shown(listed)).toEqual(expected);
    }
  });

  it('an absent collection of an existing index is empty for count, search, deletion, update and truncate', async () => {
    const { http, message, newIndex } = server();
    const index = newIndex();
    await http('PUT', `/${index}`);
    const query = { query: { match_all: {} } };
    const answers: readonly [string, string, unknown, JsonObject][] = [
      ['POST', '_count', {}, { count: 0 }],
      ['POST', '_search', {}, { total: 0, hits: [] }],
      ['DELETE', '_query', query, { hits: [], ids: [] }],
      ['PUT', '_byQuery', { ...query, doc: {} }, { hits: [], errors: [] }],
      ['DELETE', '_truncate', undefined, { acknowledged: true }],
    ];
    for (const [method, end, body, result] of answers) {
      const answer = await http(method, `/${index}/none/${end}`, body);
      expect([end, answer.status, answer.body.result]).toMatchObject([end, 200, result]);
      const absent = await http(method, `/${newIndex()}/none/${end}`, body);
      expect([end, absent.status]).toEqual([end, 404]);
    }
    const truncated = { controller: 'collection', action: 'truncate', index, collection: 'none' };
    expect(await message(truncated)).toMatchObject({ status: 200, result: { acknowledged: true } });
    expect((await http('GET', `/${index}/none/_mapping`)).status).toBe(404);
  });

  it('aggregates an absent collection as an empty one, under a scroll too', async () => {
    const { http, newIndex } = server();
    const index = newIndex();
    await http('PUT', `/${index}`);
    await http('PUT', `/${index}/empty`);
    const aggs = {
      lowest: { min: { field: 'n' } },
      tags: { terms: { field: 'tag' }, meta: { why: 'test' } },
      ranges: { range: { field: 'n', ranges: [{ to: 5 }, { from: 5, key: 'high' }] } },
      all: { global: {}, aggs: { parts: { nested: { path: 'parts' } } } },
      kinds: { filters: { filters: { x: { term: { n: 1 } } }, other_bucket: true } },
      first: { top_hits: { size: 1 } },
    };
    const sort = [{ n: 'asc' }];
    for (const scroll of ['', '&scroll=1m']) {
      const search = (collection: string, body: JsonObject) =>
        http('POST', `/${index}/${collection}/_search?size=2${scroll}`, body);
      const absent = await search('none', { aggs, sort });
      const empty = await search('empty', { aggs });
      expect([absent.status, empty.status]).toEqual([200, 200]);
      const { aggregations, hits, total } = absent.body.result as JsonObject;
      expect({ hits, total }).toEqual({ hits: [], total: 0 });
      expect(aggregations).toMatchObject({ lowest: { value: null }, all: { doc_count: 0 } });
      expect(aggregations).toEqual((empty.body.result as JsonObject)['aggregations']);
    }
    expect((await http('GET', `/${index}/_list`)).body.result).toMatchObject({
      collections: [{ name: 'empty' }],
    });
  });

  it('searchSpecifications gives the pairs as hits', async () => {
    const { http, newIndex } = server();
    const index = newIndex();
    const validation = { strict: false, fields: {} };
    await http('PUT', '/_specifications', { [index]: { books: validation } });
    const found = await http('POST', '/validations/_search?from=0&size=1', {
      query: { term: { index } },
    });
    const pair = { index, collection: 'books', validation };
    expect(found.body.result).toEqual({
      hits: [{ _id: `${index}#books`, _source: pair, ...pair }],
      total: 1,
      from: 0,
      size: 1,
    });
  });
});
