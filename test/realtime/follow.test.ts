import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject, RequestFields } from '@millrace/kernel';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'shop', collection: 'items' };
const WAIT = { timeout: 60_000, interval: 20 };
const CHEAPEST = { query: { range: { price: { lt: 100 } } }, sort: [{ price: 'asc' }], size: 5 };

interface Followed extends WireResult {
  readonly followId: string;
  readonly channel: string;
  readonly mode: string;
  readonly check: string;
  readonly deltas?: readonly Delta[];
}

/** A follower that folds what it receives. */
class Follower {
  private taken = 0;
  known: WireResult;

  constructor(
    private readonly client: MemoryClient,
    readonly answer: Followed,
  ) {
    this.known = answer;
  }

  fold(): WireResult {
    const received = this.client.received.filter(({ channel }) => channel === this.answer.channel);
    for (const { message } of received.slice(this.taken)) {
      if (message.action !== 'followed') continue;
      const delta = message.result as unknown as Delta;
      expect(delta.base).toBe(this.known.cursor);
      this.known = foldDelta(this.known, delta);
    }
    this.taken = received.length;
    return this.known;
  }
}

const idsOf = ({ hits }: WireResult) => hits.map(({ _id }) => _id);

describe('realtime.follow', () => {
  const protocol = new MemoryProtocol();
  let server: SecuredServer;
  let jwt: string;

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [protocol.plugin] });
    jwt = server.adminJwt;
    await ask({ controller: 'index', action: 'create', index: 'shop' });
    const body = { properties: { price: { type: 'integer' }, kind: { type: 'keyword' } } };
    await ask({ controller: 'collection', action: 'create', ...AT, body });
  });
  afterAll(() => server.close());

  async function ask(fields: RequestFields): Promise<JsonObject> {
    const { error, result } = await protocol.connect().request({ jwt, ...fields });
    if (error !== null) throw new Error(JSON.stringify(error));
    return result as JsonObject;
  }
  const put = (_id: string, body: JsonObject, at = AT) =>
    ask({ controller: 'document', action: 'createOrReplace', ...at, _id, body });
  const remove = (_id: string) => ask({ controller: 'document', action: 'delete', ...AT, _id });
  const search = (body: JsonObject, at = AT) =>
    ask({ controller: 'document', action: 'search', ...at, body: { ...body, version: true } });

  async function follow(client: MemoryClient, body: JsonObject, more: JsonObject = {}): Promise<Follower> {
    const fields = { controller: 'realtime', action: 'follow', ...AT, jwt, body, ...more };
    const { error, result } = await client.request(fields);
    if (error !== null) throw new Error(JSON.stringify(error));
    const answer = result as unknown as Followed;
    client.channels.add(answer.channel);
    return new Follower(client, answer);
  } // prettier-ignore

  it('answers with the result, then sends what changes in it (FOLLOW-1, FOLLOW-5, FOLLOW-9)', async () => {
    await put('a', { price: 10 });
    await put('b', { price: 20 });
    const follower = await follow(protocol.connect(), CHEAPEST);
    const { hits, total } = await search(CHEAPEST);
    expect(follower.answer).toMatchObject({ mode: 'incremental', hits, total });
    await put('c', { price: 15 });
    await put('expensive', { price: 500 });
    await put('a', { price: 30 });
    await remove('b');
    await vi.waitFor(() => expect(idsOf(follower.fold())).toEqual(['c', 'a']), WAIT);
    const now = await search(CHEAPEST);
    expect(follower.known).toMatchObject({ hits: now.hits as never, total: 2 });
  });

  it('follows aggregations (FOLLOW-5)', async () => {
    const kinds = { size: 0, aggs: { kinds: { terms: { field: 'kind' } }, dearest: { max: { field: 'price' } } } };
    await put('k1', { kind: 'cup', price: 1 });
    const follower = await follow(protocol.connect(), kinds);
    await put('k2', { kind: 'cup', price: 900 });
    await put('k3', { kind: 'pot', price: 2 });
    const { aggregations } = await search(kinds);
    await vi.waitFor(() => expect(follower.fold().aggregations).toEqual(aggregations), WAIT);
  });

  it('follows values of documents outside the query (FOLLOW-2)', async () => {
    const aggs = { kinds: { terms: { field: 'kind', min_doc_count: 0 } } };
    const body = { query: { term: { kind: 'cup' } }, size: 0, aggs };
    const follower = await follow(protocol.connect(), body);
    await put('outside', { kind: 'ladle', price: 1 });
    const { aggregations } = await search(body);
    await vi.waitFor(() => expect(follower.fold().aggregations).toEqual(aggregations), WAIT);
    expect(JSON.stringify(aggregations)).toContain('ladle');
  });

  it('equals the search after many writes (FOLLOW-2)', async () => {
    const at = { index: 'shop', collection: 'many' };
    const bodies: JsonObject[] = [
      { query: { term: { kind: 'cup' } }, sort: [{ price: 'desc' }, '_id'], size: 4 },
      { query: { match: { name: 'red cup' } }, size: 6 },
      { size: 3, from: 2, sort: [{ price: { order: 'asc', missing: '_first' } }] },
      { size: 0, aggs: { kinds: { terms: { field: 'kind' }, aggs: { mean: { avg: { field: 'price' } } } } } },
    ];
    await ask({
      controller: 'collection',
      action: 'create',
      ...at,
      body: { properties: { price: { type: 'integer' }, kind: { type: 'keyword' }, name: { type: 'text' } } },
    });
    const client = protocol.connect();
    const followers = await Promise.all(bodies.map((body) => follow(client, body, at)));
    for (let n = 0; n < 200; n++) {
      const _id = `m${(n * 7) % 31}`;
      const isGone = n % 5 === 4;
      const kind = n % 2 === 0 ? 'cup' : 'pot';
      if (!isGone) await put(_id, { price: (n * 13) % 40, kind, name: `${n % 3 === 0 ? 'red' : 'blue'} ${kind}` }, at);
      // It may be absent.
      else await client.request({ controller: 'document', action: 'mDelete', ...at, body: { ids: [_id] }, jwt });
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    for (const [n, body] of bodies.entries()) {
      const { hits, total, aggregations } = await search(body, at);
      await vi.waitFor(() => {
        expect((followers[n] as Follower).fold()).toMatchObject({
          hits: hits as never,
          total,
          ...(aggregations !== undefined && { aggregations }),
        });
      }, WAIT);
    }
  });

  it('follows an index that does not exist yet (FOLLOW-14)', async () => {
    const at = { index: 'later', collection: 'notes' };
    const body = { query: { range: { price: { lt: 5 } } }, aggs: { mean: { avg: { field: 'price' } } } };
    const follower = await follow(protocol.connect(), body, at);
    expect([follower.answer.hits, follower.answer.total]).toEqual([[], 0]);
    await put('first', { price: 4 }, at);
    await put('second', { price: 40 }, at);
    await vi.waitFor(() => expect(idsOf(follower.fold())).toEqual(['first']), WAIT);
    expect(follower.fold().aggregations).toEqual({ mean: { value: 4 } });
    await ask({ controller: 'index', action: 'delete', index: at.index });
    await vi.waitFor(() => expect(follower.fold().total).toBe(0), WAIT);
    await put('third', { price: 3 }, at);
    await vi.waitFor(() => expect(idsOf(follower.fold())).toEqual(['third']), WAIT);
  });

  it('sends deltas to a follower that returns with a cursor (FOLLOW-3)', async () => {
    const stays = await follow(protocol.connect(), { ...CHEAPEST, size: 7 });
    const { cursor } = stays.answer;
    await put('back', { price: 1 });
    await vi.waitFor(() => expect(idsOf(stays.fold())).toContain('back'), WAIT);
    const back = await follow(protocol.connect(), { ...CHEAPEST, size: 7 }, { cursor });
    expect(back.answer.hits).toBeUndefined();
    const caughtUp = (back.answer.deltas ?? []).reduce(foldDelta, stays.answer as WireResult);
    expect(caughtUp).toEqual(stays.fold());
    const unknown = await follow(protocol.connect(), { ...CHEAPEST, size: 7 }, { cursor: 'other' });
    expect(idsOf(unknown.answer)).toEqual(idsOf(stays.known));
  });

  it('ends with unfollow (FOLLOW-4)', async () => {
    const client = protocol.connect();
    const { answer } = await follow(client, CHEAPEST);
    const { followId } = answer;
    const unfollow = { controller: 'realtime', action: 'unfollow', followId, jwt };
    expect((await protocol.connect().request(unfollow)).error?.id).toBe('realtime.not_followed');
    expect((await client.request(unfollow)).result).toEqual({ followId });
    await put('late', { price: 2 });
    expect(client.received.filter(({ channel }) => channel === followId)).toEqual([]);
    expect((await client.request(unfollow)).status).toBe(404);
  });

  it('needs the rights to follow and to search, and ends without them (FOLLOW-7)', async () => {
    const searchOnly = await server.account(flatRole({ document: ['search'] }));
    const followOnly = await server.account(flatRole({ realtime: ['follow'] }));
    const both = await server.account(flatRole({ document: ['search'], realtime: ['follow'] }));
    const fields = { controller: 'realtime', action: 'follow', ...AT, body: CHEAPEST };
    for (const { jwt: lacking } of [searchOnly, followOnly]) {
      expect((await protocol.connect().request({ ...fields, jwt: lacking })).status).toBe(403);
    }
    const client = protocol.connect();
    const { answer } = await follow(client, CHEAPEST, { jwt: both.jwt });
    await ask({
      controller: 'security',
      action: 'createOrReplaceRole',
      _id: both.roleId,
      body: flatRole({ realtime: ['follow'] }),
    });
    await vi.waitFor(() => {
      const actions = client.received
        .filter(({ channel }) => channel === answer.channel)
        .map(({ message }) => message.action);
      expect(actions).toContain('subscriptionEnded');
    }, WAIT);
  });

  it.each([
    ['a window above realtime.follow.maxWindow', { body: { from: 600, size: 600 } }, 400, 'size'],
    [
      'strict, since the search is run again',
      { strict: true, body: { query: { term: { kind: 'cup' } } } },
      400,
      '_score',
    ],
    ['a search that is wrong', { body: { query: { nonsense: {} } } }, 400, 'nonsense'],
    ['a scroll', { body: { scroll: '1m' } }, 400, 'scroll'],
  ])('refuses %s (FOLLOW-8)', async (_, more, status, word) => {
    const client = protocol.connect();
    const { error } = await client.request({ controller: 'realtime', action: 'follow', ...AT, jwt, ...more });
    expect(error).toMatchObject({ status, message: expect.stringContaining(word) as string });
    expect(await client.request({ controller: 'realtime', action: 'list', jwt })).toMatchObject({ status: 200 });
  });

  it('counts all keys of an aggregation, also those that it cannot keep (FOLLOW-2)', async () => {
    const keys = Array.from({ length: 10_001 }, (_, n) => ({ kind: `k${n}` }));
    const bulkData = [...keys, { kind: 'z' }, { kind: 'z' }].flatMap((each) => [{ index: {} }, each]);
    const many = { index: 'shop', collection: 'keys' };
    await ask({
      controller: 'collection',
      action: 'create',
      ...many,
      body: { properties: { kind: { type: 'keyword' } } },
    });
    await ask({ controller: 'bulk', action: 'import', ...many, body: { bulkData } });
    const client = protocol.connect();
    const aggs = { top: { terms: { field: 'kind', size: 1 } }, count: { cardinality: { field: 'kind' } } };
    const { result } = await client.request({
      controller: 'realtime',
      action: 'follow',
      ...many,
      jwt,
      body: { size: 0, aggs },
    });
    const follower = new Follower(client, result as unknown as Followed);
    const shown = (docCount: number, value: number) => ({
      top: { buckets: [{ key: 'z', doc_count: docCount }], sum_other_doc_count: 10_001 },
      count: { value },
    });
    expect(follower.known.aggregations).toMatchObject(shown(2, 10_002));
    await ask({ controller: 'document', action: 'create', ...many, body: { kind: 'z' } });
    await expect.poll(() => follower.fold().aggregations, WAIT).toMatchObject(shown(3, 10_002));
    client.close();
  });

  it('makes first results of all addresses in turn, and answers other requests meanwhile (FOLLOW-10)', async () => {
    const body = { bulkData: Array.from({ length: 1_000 }, (_, n) => [{ index: {} }, { price: n }]).flat() };
    await ask({ controller: 'index', action: 'create', index: 'large' });
    const large = { index: 'large', collection: 'items' };
    await ask({ controller: 'collection', action: 'create', ...large });
    await ask({ controller: 'bulk', action: 'import', ...large, body });
    const greedy = protocol.connect('192.0.2.1');
    const other = protocol.connect('192.0.2.2');
    const follow = (client: MemoryClient, n: number) =>
      client.request({
        controller: 'realtime',
        action: 'follow',
        ...large,
        jwt,
        body: { query: { range: { price: { gte: n } } }, sort: [{ price: 'desc' }], size: 500 },
      });
    let answered = 0;
    const count = 30;
    const all = Array.from({ length: count }, async (_, n) => {
      expect((await follow(greedy, n)).status).toBe(200);
      answered++;
    });
    expect((await other.request({ controller: 'server', action: 'now' })).status).toBe(200);
    const before = answered;
    expect((await follow(other, -1)).status).toBe(200);
    // Its turn comes after the requests that run, of which there are three at a time.
    expect(answered - before).toBeLessThan(10);
    await Promise.all(all);
    greedy.close();
    other.close();
  });

  it('limits the number of searches and the memory of results (FOLLOW-8)', async () => {
    const limits = [
      [{ maxViews: 1 }, 'realtime.too_many_follows'],
      [{ maxBytes: 4_200 }, 'realtime.follows_full'],
    ] as const;
    for (const [limit, id] of limits) {
      const other = new MemoryProtocol();
      const small = await startSecured({ realtime: { follow: limit } }, { plugins: [other.plugin] });
      try {
        await small.result('POST', '/shop/items/a/_create', { body: { name: 'x'.repeat(100) } });
        const fields = { controller: 'realtime', action: 'follow', ...AT, jwt: small.adminJwt };
        const client = other.connect();
        const first = await client.request({ ...fields, body: { size: 1 } });
        expect(first.error).toBeNull();
        await small.result('POST', '/shop/items/b/_create', { body: { name: 'x'.repeat(100) } });
        const second = await client.request({ ...fields, body: { size: 2 } });
        expect(second).toMatchObject({ status: 429, error: { id } });
        // A search that has ended leaves its place to another.
        const { followId } = first.result as { readonly followId: string };
        await client.request({ controller: 'realtime', action: 'unfollow', followId, jwt: small.adminJwt });
        expect((await client.request({ ...fields, body: { size: 1 } })).status).toBe(200);
      } finally {
        await small.close();
      }
    }
  });
});
