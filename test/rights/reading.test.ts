/* Rights on documents: what reading actions show (SEC-80 to SEC-85). */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSecured, type SecuredServer } from '../security/securedServer.js';
import { as, documentRole, INDEX, MAPPING, NOTES, OWN, PUBLIC_FIELDS, put } from './notes.js';

let server: SecuredServer;
let reader: ReturnType<typeof as>;
let userId: string;

const READING = { documents: OWN, fields: PUBLIC_FIELDS };

beforeAll(async () => {
  server = await startSecured();
  await server.result('PUT', NOTES, { body: MAPPING });
  const account = await server.account(
    documentRole({
      get: READING,
      search: READING,
      count: READING,
      explain: READING,
      mGet: true,
      scroll: true,
    }),
  );
  userId = account.id;
  reader = as(server, account);
  await put(server, {
    mine: {
      owner: userId,
      title: 'blue mill',
      tag: 'red',
      salary: 5,
      notes: { public: 'seen', private: 'secret words' },
      items: [{ name: 'nail', price: 1 }],
    },
    empty: { owner: userId, title: 'mill', notes: { private: 'secret' } },
    theirs: {
      owner: 'somebody',
      title: 'blue green mill',
      tag: 'hidden',
      salary: 9,
      items: [{ name: 'screw', price: 2 }],
    },
  });
});
afterAll(() => server.close());

describe('a right on documents', () => {
  it('SEC-82: get and mGet find documents that it covers, without hidden fields', async () => {
    const { result } = await reader.http('GET', `${NOTES}/mine`);
    expect(result._source).toEqual({
      owner: userId,
      title: 'blue mill',
      tag: 'red',
      notes: { public: 'seen' },
      items: [{ name: 'nail', price: 1 }],
    });
    const unseen = await reader.http('GET', `${NOTES}/theirs`);
    const absent = await reader.http('GET', `${NOTES}/nothere`);
    expect([unseen.status, unseen.error.id]).toEqual([404, 'document.not_found']);
    expect(unseen.error.message).toBe(absent.error.message.replace('nothere', 'theirs'));
    const many = await reader.http('POST', `${NOTES}/_mGet`, { ids: ['theirs', 'empty', 'no'] });
    expect(many.status).toBe(206);
    // An object that is left empty is dropped.
    const { successes, errors } = many.result;
    expect(successes).toMatchObject([{ _id: 'empty', _source: { owner: userId, title: 'mill' } }]);
    expect((successes as JsonObject[])[0]?._source).not.toHaveProperty('notes');
    expect(errors).toMatchObject([
      { _id: 'theirs', status: 404 },
      { _id: 'no', status: 404 },
    ]);
  });

  it('SEC-82: the size of documents that it does not cover is not counted', async () => {
    const account = await server.account(documentRole({ get: READING, mGet: true, update: READING, mUpdate: true }));
    const user = as(server, account);
    // 90 times this exceeds the largest result.
    const content = 'x'.repeat(800_000);
    await put(server, { large: { owner: 'x', content }, own: { owner: account.id, content } });
    const repeated = <T>(value: T) => Array.from({ length: 90 }, () => value);
    const read = async (id: string) => (await user.http('POST', `${NOTES}/_mGet`, { ids: repeated(id) })).status;
    expect([await read('large'), await read('nothere'), await read('own')]).toEqual([206, 206, 400]);
    const update = async (_id: string) => {
      const documents = repeated({ _id, body: { tag: 'x' } });
      return (await user.http('PUT', `${NOTES}/_mUpdate`, { documents })).status;
    };
    expect([await update('large'), await update('nothere'), await update('own')]).toEqual([206, 206, 400]);
    for (const id of ['large', 'own']) await server.result('DELETE', `${NOTES}/${id}`);
  });

  it('SEC-82: search, count and scroll see what it covers', async () => {
    expect((await reader.find()).toSorted()).toEqual(['empty', 'mine']);
    expect(await reader.find({ query: { match: { title: 'green' } } })).toEqual([]);
    const counted = await reader.http('POST', `${NOTES}/_count`, { query: { match_all: {} } });
    expect(counted.result).toEqual({ count: 2 });
    const { hits, total } = await reader.search({ query: { term: { tag: 'red' } } });
    expect(total).toBe(1);
    expect((hits as JsonObject[])[0]?._source).not.toHaveProperty('salary');
    const first = await reader.http('POST', `${NOTES}/_search?scroll=1m`, {
      size: 1,
      sort: ['_doc'],
    });
    const next = await reader.http('POST', `/_scroll/${first.result._scroll_id as string}`, {});
    const ids = [first, next].flatMap(({ result }) => (result.hits as JsonObject[]).map(({ _id }) => _id));
    expect(ids).toEqual(['mine', 'empty']);
    expect(next.text).not.toContain('secret');
  });

  it('SEC-82, SEC-83: explain counts what it covers, and names no hidden field', async () => {
    const explain = (query: JsonObject) => reader.http('POST', `${NOTES}/_explain`, { query });
    const all = await explain({ match_all: {} });
    expect(all.result).toMatchObject({ clauses: [{ cost: 2 }] });
    const words = await explain({ query_string: { query: 'mill' } });
    expect(words.text).toContain('"title"');
    expect(words.text).not.toMatch(/salary|private/);
    expect(words.result).toMatchObject({ clauses: [{ cost: 2 }] });
    expect((await explain({ term: { salary: 5 } })).status).toBe(403);
  });

  it('SEC-82: aggregations count what it covers, also global ones and empty buckets', async () => {
    const { aggregations } = await reader.search({
      size: 0,
      query: { match_none: {} },
      aggs: {
        everything: { global: {}, aggs: { tags: { terms: { field: 'tag' } } } },
        tags: { terms: { field: 'tag', min_doc_count: 0 } },
        items: {
          nested: { path: 'items' },
          aggs: { names: { terms: { field: 'items.name', min_doc_count: 0 } } },
        },
      },
    });
    expect(aggregations).toMatchObject({
      everything: { doc_count: 2, tags: { buckets: [{ key: 'red', doc_count: 1 }] } },
      tags: { buckets: [{ key: 'red', doc_count: 0 }] },
      items: { names: { buckets: [{ key: 'nail', doc_count: 0 }] } },
    });
  });

  it('SEC-83: a request that names a hidden field is refused', async () => {
    const named: readonly JsonObject[] = [
      { query: { term: { salary: 5 } } },
      { query: { exists: { field: 'salary' } } },
      { query: { match: { 'notes.private': 'secret' } } },
      { query: { query_string: { query: 'salary:>3' } } },
      { query: { multi_match: { query: 'x', fields: ['title', 'notes.private'] } } },
      { query: { bool: { must_not: { term: { copied: '5' } } } } },
      { sort: [{ salary: 'desc' }] },
      { aggs: { a: { avg: { field: 'salary' } } } },
      { aggs: { a: { filter: { range: { salary: { gt: 3 } } } } } },
      { highlight: { fields: { 'notes.private': {} } } },
      { _source: ['salary'] },
      { post_filter: { term: { salary: 5 } } },
      { aggs: { a: { top_hits: { sort: ['salary'] } } } },
    ];
    for (const body of named) {
      const { status, error } = await reader.http('POST', `${NOTES}/_search`, body);
      expect([status, error.id, body], error.message).toEqual([403, 'security.field_hidden', body]);
    }
    const counted = await reader.http('POST', `${NOTES}/_count`, {
      query: { term: { salary: 5 } },
    });
    expect(counted.error.id).toBe('security.field_hidden');
  });

  it('SEC-83: patterns and requests without fields pass over hidden fields', async () => {
    const query = (inner: JsonObject) => reader.find({ query: inner });
    expect(await query({ multi_match: { query: 'secret', fields: ['*'] } })).toEqual([]);
    expect(await query({ query_string: { query: 'secret' } })).toEqual([]);
    expect(await query({ query_string: { query: '5' } })).toEqual([]);
    expect(await query({ query_string: { query: 'seen' } })).toEqual(['mine']);
    expect((await query({ exists: { field: 'notes' } })).toSorted()).toEqual(['mine']);
    expect(await query({ exists: { field: 'sal*' } })).toEqual([]);
    const { hits } = await reader.search({
      query: { query_string: { query: 'seen secret' } },
      _source: ['no*', 'sal*'],
      highlight: { fields: { '*': {} }, require_field_match: false },
    });
    expect(hits).toMatchObject([
      { _source: { notes: { public: 'seen' } }, highlight: { 'notes.public': ['<em>seen</em>'] } },
    ]);
    expect(Object.keys((hits as JsonObject[])[0]?.highlight as JsonObject)).toEqual(['notes.public']);
  });

  it('SEC-83: getMapping shows the fields that may be read', async () => {
    const { result } = await reader.http('GET', `${NOTES}/_mapping`);
    const { mappings } = result[INDEX] as { readonly mappings: Record<string, JsonObject> };
    const { properties } = mappings.notes as { readonly properties: JsonObject };
    expect(Object.keys(properties)).toEqual(['owner', 'title', 'tag', 'all', 'notes', 'items']);
    expect(properties.notes).toEqual({ properties: { public: { type: 'text' } } });
  });

  it('SEC-82: scores depend on covered documents alone', async () => {
    const scored = async () => {
      const { hits, max_score: max } = await reader.search({
        query: { match: { title: 'blue mill' } },
      });
      return [max, (hits as JsonObject[]).map(({ _id, _score }) => [_id, _score])];
    };
    const before = await scored();
    const more = Array.from({ length: 20 }, (_, at) => [`x${at}`, { owner: 'x', title: 'blue blue rock' }]);
    await put(server, Object.fromEntries(more) as Record<string, JsonObject>);
    expect(await scored()).toEqual(before);
  });

  it('SEC-82: places in the order of documents do not count hidden ones', async () => {
    const account = await server.account(documentRole({ search: READING }));
    const user = as(server, account);
    const own = { owner: account.id, title: 'own', items: [{ name: 'nail' }] };
    const alone = `/${INDEX}/alone`;
    await server.result('PUT', alone, { body: MAPPING });
    for (const id of ['o1', 'o2', 'o3']) {
      await put(server, { [`before-${id}`]: { owner: 'x', items: [{ name: 'a' }, {}] }, [id]: own });
      await server.result('PUT', `${alone}/${id}`, { body: own });
    }
    const random = (query: JsonObject) => ({ function_score: { query, random_score: { seed: 1 } } });
    const nested = { path: 'items', query: random({ match_all: {} }) };
    const bodies: readonly JsonObject[] = [
      { sort: ['_doc'] },
      { sort: [{ _doc: 'desc' }], search_after: [2] },
      { query: random({ match_all: {} }) },
      { query: { nested } },
    ];
    for (const body of bodies) {
      const [here, there] = await Promise.all(
        [NOTES, alone].map(async (path) => {
          const { hits } = (await user.http('POST', `${path}/_search`, body)).result;
          return (hits as JsonObject[]).map(({ _id, _score, sort }) => [_id, _score, sort]);
        }),
      );
      expect(here, JSON.stringify(body)).toEqual(there);
      expect(here?.length).toBeGreaterThan(1);
    }
    const { hits } = await user.search({ sort: ['_doc'] });
    expect((hits as JsonObject[]).map(({ sort }) => sort)).toEqual([[0], [1], [2]]);
  });

  it('SEC-84: several policies show the union, and each document the fields of those that cover it', async () => {
    const account = await server.account(
      documentRole({
        search: { documents: { term: { owner: 'union' } }, fields: { only: ['title'] } },
      }),
    );
    const roleId = `second-${account.roleId}`;
    const second = { documents: { term: { tag: 'shared' } }, fields: { except: ['salary'] } };
    await server.result('POST', `/roles/${roleId}/_create`, {
      body: { controllers: { document: { actions: { search: second } } } },
    });
    await server.result('PUT', `/profiles/${account.profileId}`, {
      body: { policies: [{ roleId: account.roleId }, { roleId }] },
    });
    await put(server, {
      first: { owner: 'union', title: 'a', tag: 'own', salary: 1 },
      both: { owner: 'union', title: 'b', tag: 'shared', salary: 2 },
    });
    const both = as(server, account);
    const { hits } = await both.search({ sort: [{ 'title.raw': 'asc' }] });
    expect((hits as JsonObject[]).map(({ _source }) => _source)).toEqual([
      { title: 'a' },
      { owner: 'union', title: 'b', tag: 'shared' },
    ]);
    // Named fields must be shown by each policy.
    const named = await both.http('POST', `${NOTES}/_search`, {
      query: { term: { tag: 'shared' } },
    });
    expect([named.status, named.error.id]).toEqual([403, 'security.field_hidden']);
  });

  it('SEC-85: a scroll ends when the right changes', async () => {
    const account = await server.account(documentRole({ search: READING, scroll: true }));
    const user = as(server, account);
    await put(server, { s1: { owner: account.id }, s2: { owner: account.id } });
    const first = await user.http('POST', `${NOTES}/_search?scroll=1m`, { size: 1 });
    const change = documentRole({ search: { documents: OWN }, scroll: true });
    await server.result('PUT', `/roles/${account.roleId}`, { body: change });
    const next = await user.http('POST', `/_scroll/${first.result._scroll_id as string}`, {});
    expect([next.status, next.error.id]).toEqual([404, 'query.scroll_not_found']);
  });

  it('SEC-85: a scroll ends when the right to search is taken away', async () => {
    const allowed = { search: true, scroll: true };
    const account = await server.account(documentRole(allowed));
    const user = as(server, account);
    const open = async () => {
      const { result } = await user.http('POST', `${NOTES}/_search?scroll=1m`, { size: 1 });
      return `/_scroll/${result._scroll_id as string}`;
    };
    const change = (actions: JsonObject) =>
      server.result('PUT', `/roles/${account.roleId}`, { body: documentRole(actions) });
    const path = await open();
    await change({ scroll: true });
    const next = await user.http('POST', path, {});
    expect([next.status, next.error.id]).toEqual([404, 'query.scroll_not_found']);
    // A condition on the search is judged by the search that opened the scroll.
    const when = { equals: { 'request.body.size': 1 } };
    await change({ search: { when }, scroll: true });
    expect((await user.http('POST', await open(), {})).status).toBe(200);
  });

  it('SEC-85: an API key without the right to search does not continue a scroll of its owner', async () => {
    const scrolling = { controllers: { document: { actions: { scroll: true } } } };
    const roleId = `scrolling-${userId}`;
    await server.result('POST', `/roles/${roleId}/_create`, { body: scrolling });
    const owner = await server.account(documentRole({ search: true, scroll: true }));
    const user = as(server, owner);
    const body = { name: 'scrolling', policies: [{ roleId }] };
    const made = await server.result('POST', `/users/${owner.id}/api-keys/_create`, { body });
    const first = await user.http('POST', `${NOTES}/_search?scroll=1m`, { size: 1 });
    const path = `/_scroll/${first.result._scroll_id as string}`;
    const next = await server.http('POST', path, { jwt: made.key as string, body: {} });
    expect([next.status, next.error.id]).toEqual([404, 'query.scroll_not_found']);
    expect((await user.http('POST', path, {})).status).toBe(200);
  });

  it('SEC-81: a reference to a property that a user lacks covers nothing', async () => {
    const start = await startSecured({ security: { protectedProperties: ['team', 'teams'] } });
    try {
      await start.result('PUT', NOTES, { body: MAPPING });
      await put(start, { a: { owner: 'blue' }, b: { owner: 'red' }, c: {} });
      const role = (owner: JsonObject) => documentRole({ search: { documents: owner } });
      const one = role({ term: { owner: { $ref: 'user.team' } } });
      const several = role({ terms: { owner: { $ref: 'user.teams' } } });
      const found = async (of: JsonObject, properties: JsonObject) =>
        (await as(start, await start.account(of, properties)).find()).toSorted();
      expect(await found(one, { team: 'blue' })).toEqual(['a']);
      expect(await found(one, {})).toEqual([]);
      expect(await found(one, { team: { name: 'blue' } })).toEqual([]);
      expect(await found(several, { teams: ['blue', 'red'] })).toEqual(['a', 'b']);
      expect(await found(several, { teams: 'red' })).toEqual(['b']);
      expect(await found(several, { teams: [] })).toEqual([]);
    } finally {
      await start.close();
    }
  });
});
