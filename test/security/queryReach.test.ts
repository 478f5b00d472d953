import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { fresh, roleOn, startSecured, type Account, type SecuredServer } from './securedServer.js';

/** Searches that would read another index, or run something (SEARCH-70, SEARCH-71). MARK is a string of the other index. */
const MARK = 'hiddenvalueofsomebodyelse';

const match = { match_all: {} };
const BODIES: readonly [string, JsonObject][] = [
  ['terms lookup', { query: { terms: { text: { index: 'HIDDEN', type: 'docs', id: 'd', path: 'text' } } } }],
  ['terms lookup of an older form', { query: { terms: { text: { index: 'HIDDEN/docs', id: 'd', path: 'text', routing: 'd' } } } }],
  ['more_like_this', { query: { more_like_this: { fields: ['text'], like: [{ _index: 'HIDDEN', _type: 'docs', _id: 'd' }], min_term_freq: 1, min_doc_freq: 1 } } }],
  ['percolate', { query: { percolate: { field: 'query', index: 'HIDDEN', type: 'docs', id: 'd' } } }],
  ['an indexed shape', { query: { geo_shape: { place: { indexed_shape: { index: 'HIDDEN', type: 'docs', id: 'd', path: 'text' } } } } }],
  ['_index', { query: { term: { _index: 'HIDDEN' } } }],
  ['_index in a list', { query: { terms: { _index: ['HIDDEN', 'MINE'] } } }],
  ['_type', { query: { term: { _type: 'secret' } } }],
  ['indices', { query: { indices: { indices: ['HIDDEN'], query: match, no_match_query: match } } }],
  ['a global aggregation', { aggregations: { g: { global: {}, aggs: { t: { terms: { field: 'text.keyword' } } } } } }],
  ['terms of _index', { aggregations: { t: { terms: { field: '_index' } } } }],
  ['top_hits with an index', { aggregations: { t: { top_hits: { index: 'HIDDEN', _source: ['*'] } } } }],
  ['a scripted metric', { aggregations: { s: { scripted_metric: { init_script: 'state.x = []', map_script: 'state.x.add(doc.text.value)', combine_script: 'return state.x', reduce_script: 'return states' } } } }],
  ['a bucket script', { aggregations: { t: { terms: { field: 'text.keyword' }, aggs: { b: { bucket_script: { buckets_path: {}, script: '1' } } } } } }],
  ['a script in an aggregation', { aggregations: { t: { terms: { script: "doc['text'].value" } } } }],
  ['suggest', { suggest: { s: { text: 'hidd', completion: { field: 'text' } }, t: { prefix: 'hidd', term: { field: 'text' } } } }],
  ['runtime_mappings', { runtime_mappings: { x: { type: 'lookup', target_index: 'HIDDEN', input_field: '_id', target_field: '_id', fetch_fields: ['text'] } }, fields: ['x'] }],
  ['a point in time', { pit: { id: 'HIDDEN', keep_alive: '1m' } }],
  ['SQL in a field', { query: { term: { "text') OR 1=1 UNION SELECT * FROM \"HIDDEN\" --": 'x' } } }],
  ['SQL in a value', { query: { term: { text: "' OR '1'='1' UNION SELECT body FROM docs --" } } }],
  ['SQL in a sort', { sort: [{ 'text; SELECT * FROM HIDDEN': 'asc' }] }],
  ['SQL in a sort order', { sort: [{ text: { order: 'asc; DROP TABLE docs' } }] }],
  ['SQL in an aggregation name', { aggregations: { "x' UNION SELECT * FROM HIDDEN --": { terms: { field: 'text.keyword' } } } }],
  ['a script query', { query: { script: { script: { source: 'true', lang: 'painless' } } } }],
  ['a script score', { query: { script_score: { query: match, script: { source: 'Runtime.getRuntime().exec("touch /tmp/x")' } } } }],
  ['a script score in a function_score', { query: { function_score: { query: match, script_score: { script: '1' } } } }],
  ['a script sort', { sort: { _script: { type: 'number', script: '1', order: 'asc' } } }],
  ['script fields', { script_fields: { x: { script: "params['_source']" } } }],
  ['a template', { source: '{"query": {"match_all": {}}}', params: { index: 'HIDDEN' } }],
  ['a JavaScript filter', { query: { $where: 'this.text', $function: { body: 'return 1' } } }],
  ['has_child', { query: { has_child: { type: 'secret', query: match, inner_hits: {} } } }],
  ['has_parent', { query: { has_parent: { parent_type: 'secret', query: match, inner_hits: {} } } }],
  ['inner hits of another collection', { query: { nested: { path: '../secret', query: match, inner_hits: { _source: ['*'] } } } }],
  ['knn', { knn: { field: 'v', query_vector: [1], k: 1, num_candidates: 1, filter: { term: { _index: 'HIDDEN' } } } }],
  ['indices_boost and index', { index: 'HIDDEN', indices: ['HIDDEN'], indices_boost: [{ HIDDEN: 2 }], collection: 'docs' }],
  ['a wrapper', { query: { wrapper: { query: Buffer.from('{"term": {"_index": "HIDDEN"}}').toString('base64') } } }],
  ['query_string over _index', { query: { query_string: { query: '_index:HIDDEN OR _type:secret OR *:*' } } }],
  ['a highlight query with a lookup', { query: match, highlight: { fields: { text: { highlight_query: { terms: { text: { index: 'HIDDEN', id: 'd', path: 'text' } } } } } } }],
  ['a post_filter with a lookup', { query: match, post_filter: { terms: { text: { index: 'HIDDEN', id: 'd', path: 'text' } } } }],
  ['search_after of another index', { query: match, sort: [{ _index: 'asc' }], search_after: ['HIDDEN'] }],
  ['fields of a prototype', { query: { exists: { field: '__proto__' } }, sort: ['constructor'] }],
]; // prettier-ignore

describe('how far a search reaches (SEARCH-70, SEARCH-71, SEARCH-72)', () => {
  let server: SecuredServer;
  let user: Account;
  let mine: string;
  let hidden: string;
  beforeAll(async () => {
    server = await startSecured();
    [mine, hidden] = [fresh('mine'), fresh('hidden')];
    const properties = { text: { type: 'text', fields: { keyword: { type: 'keyword' } } } };
    for (const path of [`/${mine}/docs`, `/${mine}/secret`, `/${hidden}/docs`]) {
      await server.result('PUT', `${path}/_mapping`, { body: { properties } });
      const text = path === `/${mine}/docs` ? 'own' : MARK;
      await server.result('PUT', `${path}/d`, { body: { text } });
    }
    user = await server.account(roleOn(mine, { document: ['*'] }, 'docs'));
  });
  afterAll(() => server.close());

  const fill = <T extends JsonValue>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll('HIDDEN', hidden).replaceAll('MINE', mine)) as T;

  it('finds the own document, and as much in the other index for those who may', async () => {
    const body = { query: { match: { text: MARK } } };
    const own = { query: { match: { text: 'own' } } };
    expect((await server.result('POST', `/${mine}/docs/_search`, { jwt: user.jwt, body: own })).total).toBe(1);
    expect((await server.result('POST', `/${hidden}/docs/_search`, { body })).total).toBe(1);
    expect((await server.http('POST', `/${hidden}/docs/_search`, { jwt: user.jwt, body })).status).toBe(403);
  });

  it.each(BODIES)('by %s: no hit of, and no byte from, another place', async (_, sent) => {
    const body = fill(sent);
    for (const action of ['_search', '_count'] as const) {
      const reply = await server.http('POST', `/${mine}/docs/${action}`, { jwt: user.jwt, body });
      expect([200, 400]).toContain(reply.status);
      expect(reply.text).not.toContain(MARK);
      if (reply.status !== 200) continue;
      const ids = ((reply.result.hits ?? []) as readonly JsonObject[]).map(({ _index, _type, _id }) => [
        _index,
        _type,
        _id,
      ]);
      for (const id of ids) expect(id).toEqual([mine, 'docs', 'd']);
      const count = action === '_search' ? reply.result.total : reply.result.count;
      expect(Number(count)).toBeLessThanOrEqual(1);
    }
    // deleteByQuery takes a query alone, and must remove nothing elsewhere.
    if ('query' in body) {
      const removed = await server.http('DELETE', `/${mine}/docs/_query`, {
        jwt: user.jwt,
        body: { query: body.query ?? {} },
      });
      expect([200, 400]).toContain(removed.status);
      await server.result('PUT', `/${mine}/docs/d`, { body: { text: 'own' } });
    }
    for (const path of [`/${mine}/secret/d`, `/${hidden}/docs/d`]) {
      expect(await server.result('GET', path)).toMatchObject({
        _version: 1,
        _source: { text: MARK },
      });
    }
  });
});
