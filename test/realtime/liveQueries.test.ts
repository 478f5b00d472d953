import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'library', collection: 'books' };
const MAPPING = {
  properties: {
    title: { type: 'text' },
    tag: { type: 'keyword' },
    year: { type: 'integer' },
    when: { type: 'date' },
    items: {
      type: 'nested',
      properties: { name: { type: 'keyword' }, count: { type: 'integer' } },
    },
  },
};
const MILL = { match: { title: 'mill' } };

interface Subscribed {
  readonly roomId: string;
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
}

describe('subscriptions by query', () => {
  let server: StartedKernel;
  let protocol: MemoryProtocol;
  let client: MemoryClient;

  beforeEach(async () => {
    protocol = new MemoryProtocol();
    server = await startKernel({ plugins: [protocol.plugin] });
    client = protocol.connect();
  });
  afterEach(() => server.close());

  const run = async (controller: string, action: string, fields: JsonObject = {}) => {
    const response = await server.kernel.execute({ controller, action, ...AT, ...fields });
    if (response.error !== null) throw new Error(JSON.stringify(response.error));
    return response.result as JsonObject;
  };
  const put = (_id: string, body: JsonObject) => run('document', 'createOrReplace', { _id, body });
  const ask = (fields: JsonObject, by = client, action = 'subscribe') =>
    by.request({ controller: 'realtime', action, ...AT, ...fields });
  const subscribe = async (query: JsonObject, fields: JsonObject = {}, by = client) => {
    const { error, result } = await ask({ query, ...fields }, by);
    expect(error).toBeNull();
    return result as unknown as Subscribed;
  };
  const refusal = async (fields: JsonObject) => {
    const { status, error } = await ask(fields);
    const { id, message } = error as unknown as Record<string, string>;
    return `${status} ${id}: ${message}`;
  };

  it('notify of the documents that a search finds (LIVE-1, LIVE-2)', async () => {
    await run('collection', 'create', { body: MAPPING });
    const words = await subscribe({ bool: { must: [MILL], filter: [{ range: { year: { lt: 1900 } } }] } });
    const nested = {
      path: 'items',
      query: { bool: { filter: [{ term: { 'items.name': 'nail' } }, { range: { 'items.count': { gt: 5 } } }] } },
    };
    const objects = await subscribe({ nested });
    const phrase = { match_phrase: { title: 'old mill' } };
    const body = (await ask({ filter: { query: phrase } })).result as unknown as Subscribed;
    await put('a', { title: 'The old Mill', year: 1860 });
    await put('b', { title: 'Mill, not old', year: 1960 });
    await put('a', { title: 'A mill on the Floss', year: 1860 });
    await put('a', { title: 'A house', year: 1860, items: [{ name: 'nail', count: 1 }, { count: 9 }] });
    await put('a', { items: [{ name: 'nail', count: 9 }] });
    await run('document', 'delete', { _id: 'a' });
    expect(client.heard(words.channel)).toEqual(['create in a', 'update in a', 'update out a']);
    expect(client.heard(body.channel)).toEqual(['create in a', 'update out a']);
    expect(client.heard(objects.channel)).toEqual(['update in a', 'delete out a']);
  });

  it('are notified of many writes over HTTP at once, each of which is answered with 200', async () => {
    await run('collection', 'create', { body: MAPPING });
    const { channel } = await subscribe(MILL);
    for (let n = 0; n < 300; n++) await subscribe({ term: { grown: n } });
    const ids = Array.from({ length: 40 }, (_, n) => `m${n}`);
    // The first one maps a field: all queries that name it are bound again, and notifications wait for that.
    const write = (id: string) => server.ask('PUT', `/library/books/${id}`, { title: 'mill', grown: 1_000 });
    const answers = await Promise.all(ids.map(write));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(() => client.heard(channel).toSorted()).toEqual(ids.map((id) => `create in ${id}`).toSorted());
  });

  it('refuse what one document can not decide, by name (LIVE-2)', async () => {
    await run('collection', 'create', { body: MAPPING });
    const scored = { function_score: { min_score: 2, weight: 3 } };
    const patterns = Array.from({ length: 101 }, (_, i) => ({ wildcard: { tag: `*${i}` } }));
    for (const [query, reason] of [
      [{ bool: { should: [{ fuzzy: { tag: 'rde' } }] } }, 'fuzzy at query.bool.should'],
      [{ match: { title: { query: 'mil', fuzziness: 1 } } }, 'fuzziness at query.match'],
      [{ match_phrase_prefix: { title: 'old m' } }, 'match_phrase_prefix at query'],
      [scored, 'min_score at query.function_score'],
      [{ range: { when: { gte: 'now-1h' } } }, 'now at query.range'],
      [{ bool: { should: patterns } }, 'too many clauses, patterns'],
      [{ matc: {} }, 'did you mean match'],
      [{ range: { year: { gte: 'x' } } }, 'year'],
    ] as const) {
      const told = await refusal({ query });
      expect(told).toMatch(/^400 query\.invalid: /);
      expect(told).toContain(reason);
    }
    expect(await refusal({ query: { more_like_this: { like: 'a' } } })).toMatch(/^400 query\./);
    expect(await refusal({ query: { script: { script: '1' } } })).toMatch(/^400 query\.forbidden/);
    expect(await run('realtime', 'list')).toEqual({});
  });

  it('take a query or a filter, not both (LIVE-1)', async () => {
    expect(await refusal({ query: MILL, filter: {} })).toMatch(/^400 api\.invalid_argument: .*"query"/);
    expect(await refusal({ query: MILL, body: { exists: 'a' } })).toMatch(/^400 api\.invalid_argument/);
    expect(await refusal({ body: { query: MILL, exists: 'a' } })).toMatch(/^400 realtime\.invalid_filter/);
    expect(await refusal({ body: { query: MILL } })).toMatch(
      /^400 realtime\.invalid_filter: .*in the argument "query"/,
    );
    expect(await refusal({ query: 7 })).toMatch(/^400 api\.invalid_argument: .*a query/);
    const all = await subscribe({});
    await put('a', {});
    expect(client.heard(all.channel)).toEqual(['create in a']);
  });

  it('find fields that appear later (LIVE-3)', async () => {
    const term = await subscribe({ term: { 'place.code': 'x' } });
    const any = await subscribe({ query_string: { query: 'mill' } });
    const without = await subscribe({ bool: { must_not: { exists: { field: 'size' } } } });
    await put('a', { place: { code: 'y' } });
    await put('b', { place: { code: 'x' }, size: 3 });
    await put('c', { remark: 'a mill' });
    await run('collection', 'updateMapping', {
      body: { properties: { remark: { type: 'text', fields: { raw: { type: 'keyword', normalizer: 'lowercase' } } } } },
    });
    const raw = await subscribe({ term: { 'remark.raw': 'a MILL' } });
    await put('d', { remark: 'A Mill' });
    expect(client.heard(term.channel)).toEqual(['create in b']);
    expect(client.heard(any.channel)).toEqual(['create in c', 'create in d']);
    expect(client.heard(without.channel)).toEqual(['create in a', 'create in c', 'create in d']);
    expect(client.heard(raw.channel)).toEqual(['create in d']);
  });

  it('end when they do not fit a changed mapping (LIVE-3)', async () => {
    const { channel, roomId } = await subscribe({ term: { size: 'large' } });
    await run('collection', 'updateMapping', { body: { properties: { size: { type: 'long' } } } });
    await put('a', { size: 3 });
    const last = client.received.at(-1)?.message;
    expect([last?.action, last?.result['roomId']]).toEqual(['subscriptionEnded', roomId]);
    expect(last?.result['reason']).toMatch(/does not fit the changed mapping: .*size/);
    expect(await run('realtime', 'list')).toEqual({});
    expect(client.heard(channel)).toEqual(['subscriptionEnded']);
  });

  it('bind many queries again without a loss, in order (LIVE-3)', async () => {
    const channels: string[] = [];
    for (let n = 0; n < 300; n += 1) {
      channels.push((await subscribe({ term: { late: n } })).channel);
    }
    const first = await subscribe({ match_all: {} });
    await Promise.all([put('a', { late: [5, 299] }), put('b', { late: 299, more: 1 })]);
    await expect.poll(() => client.heard(first.channel)).toHaveLength(2);
    expect(client.heard(channels[5] as string)).toEqual(['create in a']);
    expect([...client.heard(channels[299] as string)].sort()).toEqual(['create in a', 'create in b']);
    expect(client.heard(channels[6] as string)).toEqual([]);
  });

  it('share a room with equal queries, under any mapping (LIVE-4)', async () => {
    const rooms = new Set<string>();
    for (const query of [
      { bool: { filter: [{ term: { tag: 'a' } }], must: [MILL] } },
      { bool: { must: MILL, filter: { term: { tag: { value: 'a', boost: 3 } } } } },
      { filtered: { query: MILL, filter: { term: { tag: 'a', _name: 'x' } } } },
    ]) {
      rooms.add((await subscribe(query)).roomId);
    }
    const [id] = rooms;
    expect(rooms.size).toBe(1);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(await run('realtime', 'list')).toEqual({ library: { books: { [id as string]: 1 } } });
    await run('collection', 'create', { body: MAPPING });
    rooms.add((await subscribe({ bool: { filter: { term: { tag: 'a' } }, must: MILL } })).roomId);
    expect(rooms.size).toBe(1);
    expect((await subscribe({ term: { tag: 'a' } })).roomId).not.toBe(id);
    const filter = await ask({ filter: { term: { tag: 'a' } } });
    expect((await subscribe({ term: { tag: 'a' } })).roomId).not.toBe((filter.result as JsonObject)['roomId']);
  });

  it('are resumed, joined, counted and polled as filters are (LIVE-5)', async () => {
    await run('collection', 'create', { body: MAPPING });
    const { cursor, roomId } = await subscribe(MILL, { mode: 'auto' });
    client.close();
    await put('a', { title: 'mill' });
    await put('b', { title: 'house' });
    await put('a', { title: 'house', late: 1 });
    const second = protocol.connect();
    const again = await subscribe(MILL, { cursor, mode: 'events' }, second);
    expect(again).toMatchObject({ resumed: true, roomId });
    await expect.poll(() => second.heard(again.channel)).toEqual(['create in a', 'update out a', 'resumed']);
    const third = protocol.connect();
    const joined = await third.request({ controller: 'realtime', action: 'join', roomId });
    expect((joined.result as JsonObject)['channel']).toBe(again.channel);
    const count = await third.request({ controller: 'realtime', action: 'count', roomId });
    expect(count.result).toEqual({ roomId, count: 2 });
    for (const fields of [{ query: MILL }, { query: JSON.stringify(MILL) }]) {
      const polled = await run('realtime', 'changes', { ...fields, cursor });
      expect(polled['changes']).toHaveLength(2);
    }
    const many = await third.request({
      controller: 'realtime',
      action: 'resume',
      body: {
        subscriptions: [
          { ...AT, query: MILL, cursor, scope: 'out' },
          { ...AT, query: { fuzzy: { tag: 'a' } } },
        ],
      },
    });
    const { subscriptions } = many.result as unknown as { subscriptions: readonly JsonObject[] };
    expect(subscriptions.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('are notified of messages and pending writes as filters are (LIVE-5)', async () => {
    await run('collection', 'create', { body: MAPPING });
    const { channel } = await subscribe(MILL, { state: 'all' });
    await run('realtime', 'publish', { body: { title: 'a mill', year: 'no number' } });
    await run('realtime', 'publish', { body: { title: 'a house' } });
    await put('a', { title: 'mill' });
    const heard = ['publish in', 'create in a'];
    expect(client.heard(channel).filter((each) => !each.includes('pending'))).toEqual(heard);
    expect(client.heard(channel)).toContain('create pending');
  });

  it('have a bounded size (LIVE-7)', async () => {
    const terms = { terms: { tag: Array.from({ length: 9_000 }, (_, i) => `tag${i}`) } };
    expect(await refusal({ query: terms })).toMatch(/^400 query\.invalid: query: expected at most 65536 bytes/);
  });
});
