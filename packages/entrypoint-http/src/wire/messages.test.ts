import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { coreErrors } from '@millrace/kernel';
import { httpErrors } from '../errors.js';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const TYPE = 'Content-Type: application/json\r\n';
const PATH = '/a/b/_create';

describe('HTTP requests and responses', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer();
  });
  afterAll(() => server.close());

  const create = (body: string | Buffer, headers: Record<string, string> = {}) =>
    server.send('POST', PATH, { body, headers });

  describe('the envelope', () => {
    it('PROTO-20: is JSON in UTF-8 and its status is the HTTP status', async () => {
      const { status, headers, json, text } = await server.send('GET', '/a/b/%C3%A9');
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
      expect(Object.keys(json).sort()).toEqual(
        'action,collection,controller,error,index,metadata,requestId,result,state,status'.split(','),
      );
    });

    it('PROTO-20: carries Prometheus text and the like as it is', async () => {
      const { headers, text } = await server.send('GET', '/_metrics');
      expect([headers['content-type'], text]).toEqual(['text/plain; version=0.0.4', 'up 1\n']);
      expect(headers['x-request-id']).toBeTruthy();
    });

    it('PROTO-20: a login that answers 302 is a real 302 with Location and the envelope', async () => {
      const { host } = server;
      const dispatch = host.dispatch.bind(host);
      host.dispatch = async (request) => {
        const response = await dispatch(request);
        const result = { headers: { 'Content-Length': '0', Location: 'https://id.example/?a=b' } };
        return { message: { ...response.message, status: 302, result } };
      };
      const { status, headers, json } = await server.send('GET', '/_login/github');
      host.dispatch = dispatch;
      expect([status, headers.location, json.status]).toEqual([302, 'https://id.example/?a=b', 302]);
    });

    it('sets the cookie of an answer, for its path', async () => {
      const { host } = server;
      const dispatch = host.dispatch.bind(host);
      const name = 'a';
      const plain = { name, value: 'b', maxAgeSeconds: 5, isSecure: true };
      const sent: unknown[] = [];
      for (const cookie of [plain, { ...plain, path: '/_x/y', sameSite: 'Strict' as const }]) {
        host.dispatch = async (request) => ({ ...(await dispatch(request)), cookie });
        sent.push((await server.send('GET', '/_now')).headers['set-cookie']);
      }
      host.dispatch = dispatch;
      expect(sent).toEqual([
        ['a=b; Max-Age=5; Path=/; HttpOnly; SameSite=Lax; Secure'],
        ['a=b; Max-Age=5; Path=/_x/y; HttpOnly; SameSite=Strict; Secure'],
      ]);
    });

    it('PROTO-13: a status 429 or 503 brings Retry-After', async () => {
      server.host.runs.set('server.now', () => {
        throw coreErrors.overloaded({}, { retryAfterSeconds: 1.2 });
      });
      const { status, headers } = await server.send('GET', '/_now');
      server.host.runs.delete('server.now');
      expect([status, headers['retry-after']]).toEqual([503, '2']);
    });

    it('PROTO-12: a result that is no JSON is answered as core.internal with the request id', async () => {
      server.host.runs.set('server.now', () => ({ count: 1n }));
      const { status, headers, json } = await server.send('GET', '/_now', {
        headers: { 'x-request-id': 'big' },
      });
      server.host.runs.delete('server.now');
      expect([status, headers['x-request-id'], json.requestId]).toEqual([500, 'big', 'big']);
      expect(json).toMatchObject({ action: 'now', error: { id: 'core.internal' }, result: null });
    });

    it('PROTO-12: a header that can not be sent is answered as core.internal', async () => {
      const { host } = server;
      const dispatch = host.dispatch.bind(host);
      host.dispatch = async (request) => {
        const { message } = await dispatch(request);
        const result = { headers: { Location: 'https://x\r\nSet-Cookie: a=b' } };
        return { message: { ...message, status: 302, result } };
      };
      const { status, headers } = await server.send('GET', '/_now');
      host.dispatch = dispatch;
      expect([status, headers['set-cookie'], headers.location]).toEqual([500, undefined, undefined]);
    });

    it('PROTO-20: HEAD answers like GET without a body', async () => {
      const get = await server.send('GET', '/_now', { headers: { 'x-request-id': 'same' } });
      const head = await server.send('HEAD', '/_now', { headers: { 'x-request-id': 'same' } });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect((await server.send('HEAD', '/_unknown')).status).toBe(404);
      expect((await server.send('HEAD', '/a/b/_search')).status).toBe(405);
    });
  });

  describe('request ids and metadata', () => {
    it('PROTO-24: X-Request-Id and query requestId come back in both', async () => {
      const byHeader = await server.send('GET', '/_now', { headers: { 'x-request-id': 'h 1' } });
      const byQuery = await server.send('GET', '/_now?requestId=q%201');
      for (const [{ json, headers }, id] of [
        [byHeader, 'h 1'],
        [byQuery, 'q 1'],
      ] as const) {
        expect([json.requestId, headers['x-request-id']]).toEqual([id, id]);
      }
    });

    it('PROTO-24: a generated id is in body and header, and differs each time', async () => {
      const [a, b] = [await server.send('GET', '/_now'), await server.send('GET', '/_now')];
      expect(a.headers['x-request-id']).toBe(a.json.requestId);
      expect(a.json.requestId).not.toBe(b.json.requestId);
    });

    it.each(['a\tb', 'é', 'x'.repeat(129), ''])(
      'PROTO-1: the request id %j is a 400 under a generated id',
      async (id) => {
        const { status, json } = await server.send('GET', '/_now', {
          headers: { 'x-request-id': id },
        });
        expect([status, json.error?.id]).toEqual([400, 'api.invalid_argument']);
        expect(json.requestId).toMatch(/^[\w-]{36}$/);
      },
    );

    it('PROTO-24: the answers to unknown routes and bad bodies carry the id as well', async () => {
      const headers = { 'x-request-id': 'mine' };
      expect((await server.send('GET', '/_unknown', { headers })).json.requestId).toBe('mine');
      expect((await create('{', headers)).json.requestId).toBe('mine');
      expect((await server.send('GET', '/_unknown?requestId=q')).json.requestId).toBe('q');
    });

    it('PROTO-23: query metadata is JSON and comes back', async () => {
      const metadata = { nested: { n: [1, 'é'] } };
      const query = encodeURIComponent(JSON.stringify(metadata));
      expect((await server.send('GET', `/_now?metadata=${query}`)).json.metadata).toEqual(metadata);
      for (const bad of ['{oops', '[]', '5']) {
        const { status, json } = await server.send('GET', `/_now?metadata=${encodeURIComponent(bad)}`);
        expect([status, json.error?.message]).toEqual([400, expect.stringContaining('metadata')]);
      }
    });
  });

  describe('query arguments', () => {
    it('PROTO-23: become fields of the message, and the path wins', async () => {
      const { json } = await server.send('GET', '/a/b/c?size=5&scroll=1m&index=z&_id=y&from=');
      expect(json.result).toMatchObject({ size: '5', scroll: '1m', index: 'a', _id: 'c' });
      expect(Object.hasOwn(json.result, 'from')).toBe(false);
    });

    it.each(['size=1&size=2', 'jwt=a.b.c', 'a=%zz', 'body=%7B%7D'])('PROTO-23: %s is a 400', async (query) => {
      expect((await server.send('GET', `/_now?${query}`)).status).toBe(400);
    });

    it('MEM-6: repeated arguments become lists below /ms', async () => {
      const { json } = await server.send('GET', '/ms/_sunion?keys=a&keys=&one=');
      expect(json.result).toMatchObject({ keys: ['a', ''], one: '' });
    });
  });

  describe('tokens', () => {
    it('PROTO-1: header Authorization gives the token, another scheme none', async () => {
      await server.send('GET', '/_now', { headers: { authorization: 'bearer  abc ' } });
      await server.send('GET', '/_now', { headers: { authorization: 'Basic YTpi' } });
      await server.send('GET', '/_now');
      const tokens = server.host.dispatched.slice(-3).map(({ token }) => token);
      expect(tokens).toEqual(['abc', null, null]);
    });
  });

  describe('bodies', () => {
    it('PROTO-21: a JSON object in UTF-8 becomes the body', async () => {
      const { json } = await create('{"a":"é","__proto__":{"b":1}}', {
        'content-type': 'application/json; charset=utf-8',
      });
      expect(JSON.stringify(json.result.body)).toBe('{"a":"é","__proto__":{"b":1}}');
    });

    it.each([
      ['malformed JSON', '{"a": 1', 400, 'api.malformed_json'],
      ['an array', '[1]', 400, 'api.invalid_request'],
      ['250 levels', `{"a":${'['.repeat(249)}${']'.repeat(249)}}`, 400, 'api.invalid_request'],
      ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'api.malformed_json'],
    ])('PROTO-21: %s: refused, naming action and index', async (_, body, status, id) => {
      const { json, status: got } = await create(body);
      expect([got, json.error?.id]).toEqual([status, id]);
      expect(json).toMatchObject({ controller: 'document', action: 'create', index: 'a' });
    });

    it.each([
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/json; charset=iso-8859-1', 400],
    ])('PROTO-21: content type %s is a %d', async (type, status) => {
      expect((await create('{}', { 'content-type': type })).status).toBe(status);
    });

    it('PROTO-21: a compressed body is a 415', async () => {
      expect((await create('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    });

    it('PROTO-21: a request without a body needs no content type, whatever its method', async () => {
      for (const [method, path] of [
        ['POST', '/a/b/_search'],
        ['GET', '/_now'],
        ['DELETE', '/a/b/_query'],
      ] as const) {
        const headers = { 'content-type': 'text/plain', 'content-length': '0' };
        const { status, json } = await server.send(method, path, { headers });
        expect([status, Object.hasOwn(json.result, 'body')]).toEqual([200, false]);
      }
    });

    it('PROTO-21: a body null counts as absent', async () => {
      const { status } = await create('null');
      expect([status, server.host.dispatched.at(-1)?.body]).toEqual([200, null]);
    });

    it('PROTO-21: bodies of DELETE and GET are read', async () => {
      for (const [method, path] of [
        ['DELETE', '/a/b/_query'],
        ['GET', '/_now'],
      ] as const) {
        const { json } = await server.send(method, path, { body: '{"query":{}}' });
        expect(json.result.body).toEqual({ query: {} });
      }
    });

    it('a chunked body is read, also one in many pieces and an empty one', async () => {
      const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n`;
      const full = await server.raw(`${head}${TYPE}\r\n2\r\n{"\r\n1\r\na\r\n4\r\n":1}\r\n0\r\n\r\n`);
      expect(full).toContain('"body":{"a":1}');
      const empty = await server.raw(`${head}Content-Type: text/plain\r\n\r\n0\r\n\r\n`);
      expect(empty).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('PROTO-21: a body without a content type is a 415, no body needs none', async () => {
      const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      for (const body of [
        'Content-Length: 7\r\n\r\n{"a":1}',
        'Transfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
      ]) {
        const refused = await server.raw(head + body);
        expect(refused).toMatch(/^HTTP\/1\.1 415 /);
        expect(refused).toContain('expected the header Content-Type: application/json');
      }
      for (const body of ['\r\n', 'Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
        expect(await server.raw(head + body)).toMatch(/^HTTP\/1\.1 200 /);
      }
    });

    it('PROTO-22: larger than http.maxBodySize is a 413, and an action may take more', async () => {
      const body = JSON.stringify({ bulkData: Array(30).fill({ text: 'x'.repeat(50_000) }) });
      const refused = await create(body);
      expect([refused.status, refused.json.error?.id]).toEqual([413, 'api.body_too_large']);
      expect(refused.headers.connection).toBe('close');
      const taken = await server.send('POST', '/_bulk', { body });
      expect(taken.json.result.body).toEqual(JSON.parse(body));
      const limit = { text: 'x'.repeat(1_048_576 - '{"text":""}'.length) };
      expect((await create(JSON.stringify(limit))).status).toBe(200);
    });

    it('a body above http.maxBodySize is read only from callers who may send it, list by list', async () => {
      const body = JSON.stringify({ bulkData: Array(30).fill({ text: 'x'.repeat(50_000) }) });
      const decided = vi.spyOn(server.host, 'decide');
      expect((await server.send('POST', '/_bulk', { body: '{}' })).status).toBe(200);
      expect(decided).not.toHaveBeenCalled();
      decided.mockResolvedValue(httpErrors.timeout({}));
      const unread = await server.send('POST', '/_bulk', { body });
      expect([unread.status, unread.headers.connection]).toEqual([408, 'close']);
      decided.mockRestore();
      for (const [items, id] of [
        [Array(60).fill('x'.repeat(50_000)), undefined],
        [['x'.repeat(1_200_000)], 'api.item_too_large'],
        [Array(600_000).fill(1), 'api.too_many_items'],
      ] as const) {
        const { json } = await server.send('POST', '/_bulk', {
          body: JSON.stringify({ bulkData: items }),
        });
        expect(json.error?.id).toBe(id);
      }
    });

    it('PROTO-22: a client that sends 40 MB gets the 413, announced or chunked', async () => {
      const bytes = Buffer.alloc(40_000_000, 0x20);
      const announced = await create(bytes);
      expect([announced.status, announced.json.action]).toEqual([413, 'create']);
      const chunked = await create(bytes, { 'transfer-encoding': 'chunked' });
      expect([chunked.status, chunked.json.action]).toEqual([413, 'create']);
    });

    it('a refused request with a body leaves the connection usable', async () => {
      const first = `POST /_unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd`;
      const second = 'GET /_now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const answers = await server.raw(first + second);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
    });

    it('RFC 9110 10.1.1: Expect: 100-continue gets the go-ahead, or the refusal at once', async () => {
      const head = (length: number) =>
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${TYPE}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
      expect(await server.raw(`${head(2)}{}`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
      expect(await server.raw(head(9_000_000))).toMatch(/^HTTP\/1\.1 413 /);
    });
  });

  describe('CORS', () => {
    it('PROTO-29: OPTIONS is a 204 with CORS headers and no dispatch', async () => {
      const before = server.host.dispatched.length;
      for (const path of ['/some/where/_search', '/_now', '*']) {
        const { status, headers, text } = await server.send('OPTIONS', path);
        expect([status, text, headers['access-control-allow-origin']]).toEqual([204, '', '*']);
        expect(headers['access-control-allow-headers']).toBe(
          'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Requested-With, X-Request-Id',
        );
        expect(headers['access-control-allow-methods']).toContain('DELETE');
      }
      expect(server.host.dispatched).toHaveLength(before);
    });

    it('PROTO-29: every answer has the origin, errors too', async () => {
      for (const path of ['/_now', '/_unknown', '/a/b/%zz']) {
        const { headers } = await server.send('GET', path, { headers: { origin: 'http://app' } });
        expect(headers['access-control-allow-origin']).toBe('*');
      }
    });
  });
});
