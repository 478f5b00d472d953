import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../security/securedServer.js';
import { openServer, PROTOCOLS, type TestServer } from './TestServer.js';

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.close());

describe('tokens (SEC-52)', () => {
  const overHttp = async (authorization: string) =>
    (await callHttp(server.url, 'GET', '/_now', { headers: { authorization } })).status;
  const inMessage = async (fields: JsonObject) =>
    (await server.message({ controller: 'server', action: 'now', ...fields })).status;

  it.each(['Basic YTpi', 'basic YTpi', 'Negotiate', 'Digest username="a.b"', 'Bearerly abc'])(
    'another scheme is ignored: %s',
    async (authorization) => {
      expect(await overHttp(authorization)).toBe(200);
      expect(await inMessage({ headers: { authorization } })).toBe(200);
    },
  );

  it.each(['Bearer', 'bearer', 'BEARER   ', 'Bearer x', 'Bearer a.b.c', 'a.b.c', ''])(
    'a Bearer that is empty or malformed, or a token without scheme, is a 401: %j',
    async (authorization) => {
      expect(await overHttp(authorization)).toBe(401);
      expect(await inMessage({ headers: { authorization } })).toBe(401);
    },
  );

  it('an empty jwt is a 401, null counts as absent', async () => {
    expect(await inMessage({ jwt: '' })).toBe(401);
    expect(await inMessage({ jwt: null })).toBe(200);
  });
});

describe('empty arguments in a query string (PROTO-23)', () => {
  it.each(['from', 'size', 'scroll', 'silent', 'ifVersion', '_id', 'type', 'refresh', 'metadata', 'requestId'])(
    '%s= counts as absent',
    async (name) => {
      await server.http('PUT', '/empties/things/1', {});
      for (const [method, path, body] of [
        ['POST', '/empties/things/_search', {}],
        ['POST', '/empties/things/_create', {}],
        ['PUT', '/empties/things/1/_update', {}],
        ['GET', '/empties/_list', undefined],
        ['POST', '/users/_search', {}],
      ] as const) {
        const { status, body: answer } = await server.http(method, `${path}?${name}=`, body);
        expect([path, status]).toEqual([path, 200]);
        expect(answer.result).not.toHaveProperty('_scroll_id');
      }
    },
  );

  it('of statistics too', async () => {
    expect((await server.http('POST', '/_getStats?startTime=&stopTime=')).status).toBe(200);
    expect((await server.http('POST', '/_getStats?startTime=x')).status).toBe(400);
  });
});

describe('suggestions for unknown names (PROTO-4, SEARCH-3)', () => {
  it.each([
    [{ controller: 'documnt', action: 'get' }, 404, 'did you mean document?'],
    [{ controller: 'document', action: 'gte' }, 404, 'did you mean get?'],
    [{ controller: 'ms', action: 'gett' }, 404, 'did you mean get?'],
    [{ controller: 'admin', action: 'refesh' }, 404, 'did you mean refresh?'],
    [{ controller: 'realtime', action: 'subscribe', body: { equasl: { a: 1 } } }, 400, 'did you mean equals?'],
  ])('%j', async (fields, status, hint) => {
    const refused = await server.message({ index: 'names', collection: 'things', ...(fields as JsonObject) });
    expect(refused).toMatchObject({ status, result: null });
    expect(refused.error?.message).toContain(hint);
  });

  it.each([
    ['search', { query: { mtach: {} } }, 'did you mean match?'],
    ['search', { qeury: {} }, 'did you mean query?'],
    ['search', { aggs: { a: { trems: {} } } }, 'did you mean terms?'],
    ['upsert', { doc: {}, defualt: {} }, 'did you mean default?'],
  ])('in the body of document.%s, over HTTP too: %j', async (action, body, hint) => {
    const at = { controller: 'document', index: 'names', collection: 'things', _id: '1' };
    for (const protocol of PROTOCOLS) {
      const refused = await server.call(protocol, { ...at, action, body: body });
      expect(refused).toMatchObject({ status: 400, result: null });
      expect(refused.error?.message).toContain(hint);
    }
  });

  it('a name that is like none gets none', async () => {
    const refused = await server.message({ controller: 'document', action: 'teleport' });
    expect(refused.error?.message).toBe('Controller "document" has no action "teleport"');
  });

  it('an unknown configuration key stops the start with one', async () => {
    const start = openServer({}, { config: { server: { exposeStak: true } } });
    await expect(start).rejects.toThrow(/did you mean server\.exposeStack\?/);
  });
});

describe('publications over HTTP (PROTO-31)', () => {
  const HINT = 'published, not stored; to store a document use POST /<index>/<collection>/_create';
  const publish = async (collection: string, body: JsonObject) => {
    const { status, headers } = await server.http('POST', `/published/${collection}`, body);
    expect(status).toBe(200);
    return headers.get('millrace-hint');
  };

  it('carry Millrace-Hint where no subscriber receives them', async () => {
    expect(await publish('alone', { n: 1 })).toBe(HINT);
    const client = await server.connect();
    const at = { controller: 'realtime', action: 'subscribe', index: 'published' };
    const filter = { equals: { n: 2 } };
    const subscribed = await client.request({ ...at, collection: 'heard', body: filter });
    const { channel, roomId } = subscribed.result as { channel: string; roomId: string };
    const received = await client.receive(channel);
    expect(await publish('heard', { n: 1 })).toBe(HINT);
    expect(await publish('heard', { n: 2 })).toBeNull();
    await expect.poll(() => received.length).toBe(1);
    await client.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } });
    expect(await publish('heard', { n: 2 })).toBe(HINT);
  });

  it('a refused one carries none', async () => {
    const { status, headers } = await server.http('POST', '/published/alone');
    expect([status, headers.get('millrace-hint')]).toEqual([400, null]);
  });
});

describe('zremrangebylex', () => {
  it('removes no member outside its bounds, whatever the scores', async () => {
    const values = ['c', 'cc', 'd', 'a', 'b'].map((member, score) => ({ score, member }));
    for (const sender of ['http', 'message']) {
      const _id = `lex-${sender}`;
      await server.http('POST', `/ms/_zadd/${_id}`, { values });
      const body = { min: '[b', max: '[d' };
      const { result } =
        sender === 'http'
          ? (await server.http('DELETE', `/ms/_zremrangebylex/${_id}`, body)).body
          : await server.message({ controller: 'ms', action: 'zremrangebylex', _id, body });
      const left = (await server.http('GET', `/ms/_zrange/${_id}/0/-1`)).body.result as string[];
      expect([result, left]).toEqual([4, ['a']]);
    }
  });
});
