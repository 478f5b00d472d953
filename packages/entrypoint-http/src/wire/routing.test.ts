import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

describe('HTTP routing', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer();
  });
  afterAll(() => server.close());

  it('PROTO-28: GET / is server.info', async () => {
    const { status, json } = await server.send('GET', '/');
    expect([status, json.controller, json.action]).toEqual([200, 'server', 'info']);
  });

  it('PROTO-25: path parameters are decoded once and become fields', async () => {
    const { json } = await server.send('GET', '/a/b%20c/%252F%2Fé✓'.replace('é✓', '%C3%A9'));
    expect(json).toMatchObject({ controller: 'document', action: 'get', index: 'a' });
    expect(json.result).toEqual({
      index: 'a',
      collection: 'b c',
      _id: '%2F/é',
      controller: 'document',
      action: 'get',
    });
  });

  it('PROTO-25: the raw path is matched, so an id _x is reached as %5Fx', async () => {
    expect((await server.send('GET', '/a/b/%5Fx')).json.result._id).toBe('_x');
    const { status, json } = await server.send('GET', '/a/b/_x');
    expect([status, json.error?.id]).toEqual([404, 'api.route_not_found']);
  });

  it.each(['/a/b/%', '/a/b/%zz', '/%ff/b/c', '/a/%c0%80/c'])(
    'PROTO-25: the malformed percent sequence of %s is a 400 that names the action',
    async (path) => {
      const { status, json } = await server.send('GET', path);
      expect([status, json.error?.id, json.action]).toEqual([400, 'api.invalid_request', 'get']);
      expect(json.error?.message).toContain('percent');
    },
  );

  it.each([
    ['GET', '/one/two/three/four/five/six'],
    ['GET', '/_unknown'],
    ['PURGE', '/a/b/_unknown'],
    ['DELETE', '/a/b/'],
    ['DELETE', '//b/'],
    ['PUT', '/a//c/'],
  ])('PROTO-27: the unknown path of %s %s is a 404', async (method, path) => {
    const { status, json } = await server.send(method, path);
    expect([status, json.error?.id]).toEqual([404, 'api.route_not_found']);
    expect(json.error?.message).toBe(`No route ${method} ${path}`);
    expect(json).toMatchObject({ controller: null, action: null, index: null, result: null });
  });

  it.each([
    ['DELETE', '/_now', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/a/b/_search', 'POST, OPTIONS'],
    ['PROPFIND', '/a/b', 'DELETE, POST, PUT, OPTIONS'],
    ['GET', '/ms/_flushdb', 'POST, OPTIONS'],
  ])('PROTO-27: a known path with another method (%s %s) is a 405 with Allow', async (method, path, allow) => {
    const { status, headers, json } = await server.send(method, path);
    expect([status, headers.allow, json.error?.id]).toEqual([405, allow, 'api.method_not_allowed']);
  });

  it.each([
    ['GET', '/profiles/p', 'getProfile'],
    ['GET', '/_profiles/p', 'getProfile'],
    ['GET', '/_users/u', 'getUser'],
    ['GET', '/users/u/_rights', 'getUserRights'],
    ['GET', '/_roles/r', 'getRole'],
    ['DELETE', '/_mdelete', 'mDelete'],
    ['DELETE', '/_mDelete', 'mDelete'],
    ['GET', '/users/_me', 'getCurrentUser'],
    ['GET', '/_users/_me', 'getCurrentUser'],
  ])('PROTO-28: %s %s is %s, with and without underscore', async (method, path, action) => {
    expect((await server.send(method, path)).json).toMatchObject({ status: 200, action });
  });

  it('POST …/_validate belongs to document.validate', async () => {
    const { json } = await server.send('POST', '/a/b/_validate', { body: '{}' });
    expect(json).toMatchObject({ controller: 'document', action: 'validate' });
  });

  it.each(['/api/1.0/_now', '/api/1.0/_now/'])(
    'PROTO-28: the prefix /api/1.0 is accepted before a route (%s)',
    async (path) => {
      expect((await server.send('GET', path)).json).toMatchObject({ action: 'now' });
    },
  );

  it('DOC-2: a reserved first segment reaches the creation of an index, which refuses it', async () => {
    for (const name of ['users', 'ms', 'roles']) {
      const { json } = await server.send('PUT', `/${name}`);
      expect(json).toMatchObject({ controller: 'index', action: 'create', index: name });
    }
  });

  it('PROTO-32: no trick of path or query reaches an action without a route', async () => {
    for (const path of ['/a/b/_subscribe', '/a/b/_subscribe?controller=realtime&action=subscribe']) {
      expect((await server.send('POST', path, { body: '{}' })).status).toBe(404);
    }
    const body = '{"controller":"realtime","action":"subscribe"}';
    const { json } = await server.send('POST', '/a/b?controller=realtime&action=subscribe', {
      body,
    });
    expect(json).toMatchObject({ controller: 'realtime', action: 'publish' });
  });

  it('PROTO-34: a message names any action in the path and has its other fields as the body', async () => {
    const fields = { index: 'a', collection: 'b', _id: '1', requestId: 'r1', body: { a: 1 } };
    const body = JSON.stringify({
      ...fields,
      controller: 'x',
      action: 'y',
      headers: { cookie: 'z' },
    });
    const headers = { authorization: 'Bearer t' };
    const { json } = await server.send('POST', '/_message/document/createOrReplace', {
      body,
      headers,
    });
    expect(json).toMatchObject({
      requestId: 'r1',
      controller: 'document',
      action: 'createOrReplace',
    });
    const request = server.host.dispatched.at(-1);
    expect(request).toMatchObject({ index: 'a', collection: 'b', body: { a: 1 }, token: 't' });
    expect(request?.headers).toEqual(headers);
  });

  it('PROTO-34: a message may have no fields; what is no object, no JSON or too large is refused', async () => {
    expect((await server.send('POST', '/_message/server/now')).json.status).toBe(200);
    expect((await server.send('POST', '/_message/server/now', { body: 'null' })).status).toBe(200);
    for (const [body, status] of [
      ['[1]', 400],
      ['{', 400],
      [JSON.stringify({ body: 'x'.repeat(1_100_000) }), 413],
    ] as const) {
      const { json } = await server.send('POST', '/_message/bulk/import', { body });
      expect([json.status, json.controller, json.action]).toEqual([status, 'bulk', 'import']);
    }
    const polluted = await server.send('POST', '/_message/server/now', {
      body: '{"__proto__":{"jwt":"stolen"}}',
    });
    expect([polluted.status, server.host.dispatched.at(-1)?.token]).toEqual([200, null]);
    const type = { 'content-type': 'text/plain' };
    expect((await server.send('POST', '/_message/server/now', { body: '{}', headers: type })).status).toBe(415);
    expect((await server.send('GET', '/_message/server/now')).status).toBe(405);
    expect((await server.send('POST', '/_message/server/%E0')).status).toBe(400);
  });

  it('MEM-3: below /ms empty segments are skipped, keys may begin with "_", and the controller is ms', async () => {
    const { json } = await server.send('GET', '/ms//_key/');
    expect(json).toMatchObject({ status: 200, controller: 'ms', action: 'get' });
    expect(json.result._id).toBe('_key');
  });

  it('MEM-4: a reserved path is never a key', async () => {
    expect((await server.send('GET', '/ms/_acl')).status).toBe(404);
    expect((await server.send('GET', '/ms/_acls')).json.result._id).toBe('_acls');
  });

  it('takes the absolute form of an address', async () => {
    const answer = await server.raw(
      'GET http://other.example/_now?a=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"a":"1"');
  });

  it('names the action and the route that the router can not read at start', async () => {
    const { FakeHost } = await import('./openTestServer.test.support.js');
    const host = new FakeHost();
    const [now] = [...host.actions].filter(({ action }) => action === 'now');
    host.actions.add({ ...now!, action: 'broken', routes: [{ method: 'GET', path: '/a(' }] });
    await expect(openTestServer({}, host)).rejects.toThrow(/GET \/a\( of server\.broken/);
  });
});
