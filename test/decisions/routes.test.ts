import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../security/securedServer.js';
import { openServer, type TestServer } from './TestServer.js';

describe('routes (PROTO-26)', () => {
  let server: TestServer;
  let index: string;
  beforeAll(async () => {
    server = await openServer();
    index = server.newIndex();
    await server.http('PUT', `/${index}/books/1`, { n: 1 });
  });
  afterAll(() => server.close());

  /** The path goes out as written. */
  const raw = async (method: string, path: string, body?: JsonObject) => {
    const { status, error, text } = await callHttp(server.url, method, path, body === undefined ? {} : { body });
    return { status, id: error.id, message: error.message, text };
  };

  it.each(['//_now', '///_now/', '/_now/', '/_now//', '/api/1.0//_now', '//api//1.0//_now', '/strategies/', '//'])(
    'GET %s skips its empty segments',
    async (path) => expect((await raw('GET', path)).status).toBe(200),
  );

  it('skips them between parameters too', async () => {
    expect((await raw('GET', `//${index}///books//1`)).status).toBe(200);
  });

  it('an empty last segment after a parameter is a 404, and deletes nothing', async () => {
    for (const path of [`/${index}/`, `/${index}/books/`, `/${index}/books//`, `/${index}/books/1/`, `//${index}//`]) {
      expect(await raw('DELETE', path)).toMatchObject({ status: 404, id: 'api.route_not_found' });
    } // prettier-ignore
    expect((await raw('GET', `/${index}/books/1`)).status).toBe(200);
  });

  const policies = { policies: [{ roleId: 'default' }] };
  it.each<[string, string, JsonObject?]>([
    ['GET', '/_healthCheck'],
    ['GET', '/_metrics'],
    ['GET', '/_listSubscriptions'],
    ['GET', '/strategies'],
    ['GET', '/users/_mapping'],
    ['GET', '/_users/_mapping'],
    ['PUT', '/users/_mapping', { properties: {} }],
    ['POST', '/validations/_search', {}],
    ['PUT', '/profiles/p1/_createOrReplace', policies],
    ['PUT', '/_profiles/p1/_createOrReplace', policies],
    ['GET', '/profiles/p1'],
    ['GET', '/_profiles/p1'],
    ['GET', '/roles/default'],
    ['GET', '/_roles/default'],
    ['POST', '/_roles/_search', {}],
    ['POST', '/_users/_search', {}],
    ['GET', '/_refreshInternal'],
    ['GET', '/swagger.json'],
    ['DELETE', '/_mDelete', { indexes: ['none'] }],
    ['DELETE', '/_mdelete', { indexes: ['none'] }],
    ['POST', '/i/c/_create', {}],
    ['PUT', '/i/c/_create', {}],
    ['POST', '/i/c/a/_create', {}],
    ['PUT', '/i/c/b/_create', {}],
    ['PUT', '/i/c/b/_createOrReplace', {}],
    ['POST', '/i/c', {}],
    ['POST', '/i/c/_publish', {}],
    ['POST', '/i/c/_validate', {}],
    ['DELETE', '/i/c/_mDelete', { ids: [] }],
    ['DELETE', '/i/c/_mdelete', { ids: [] }],
    ['POST', '/i/_bulk', { bulkData: [{ index: { _type: 'c' } }, {}] }],
    ['GET', '/api/1.0/_now'],
  ])('%s %s is answered', async (method, path, body) => {
    expect((await raw(method, path, body)).status).toBe(200);
  });

  it('swagger.json is the document of /_openapi', async () => {
    expect((await raw('GET', '/swagger.json')).text).toBe((await raw('GET', '/_openapi')).text);
  });

  it('POST /<index>/_bulk: each action line names its _type, and no other index', async () => {
    const lines = (meta: JsonObject) => ({ bulkData: [{ create: { _id: 'x', ...meta } }, { n: 2 }] });
    const path = `/${index}/_bulk`;
    const { body } = await server.http('POST', path, lines({ _type: 'bulk' }));
    expect(body.result).toMatchObject({ hits: [{ create: { _index: index, _type: 'bulk', status: 201 } }] });
    const { message } = await raw('POST', path, lines({}));
    expect(message).toContain('bulkData line 1');
    expect(await raw('POST', path, lines({ _type: 'c', _index: 'other' }))).toMatchObject({ status: 400 });
  });

  it.each([
    [
      'GET',
      '/books',
      405,
      'to list collections use GET /books/_list, to list documents use POST /books/<collection>/_search',
    ],
    ['GET', '/library/books', 405, 'to list documents use POST /library/books/_search'],
    ['GET', '/users', 405, 'to list users use POST /users/_search'],
    ['GET', '/_roles', 404, 'to list roles use POST /_roles/_search'],
    ['GET', '/profiles/', 404, 'to list profiles use POST /profiles/_search'],
    ['GET', '/validations', 405, 'to list specifications use POST /validations/_search'],
    [
      'GET',
      '/metrics',
      405,
      'there is GET /_metrics; to list collections use GET /metrics/_list, to list documents use POST /metrics/<collection>/_search',
    ],
    [
      'GET',
      '/healthcheck',
      405,
      'there is GET /_healthCheck; to list collections use GET /healthcheck/_list, to list documents use POST /healthcheck/<collection>/_search',
    ],
    ['GET', '/_health', 404, 'probes are GET /livez, /readyz, /startupz and, with details, /_healthCheck'],
    [
      'GET',
      '/healthz',
      405,
      'probes are GET /livez, /readyz, /startupz and, with details, /_healthCheck; to list collections use GET /healthz/_list, to list documents use POST /healthz/<collection>/_search',
    ],
    ['GET', '/_serverinfo', 404, 'did you mean _serverInfo?'],
    ['POST', '/library/books/_serach', 404, 'did you mean _search?'],
    ['PUT', '/library/books/1/_updaet', 404, 'did you mean _update?'],
  ])('%s %s is a %d that helps', async (method, path, status, hint) => {
    const refused = await raw(method, path);
    expect(refused.status).toBe(status);
    expect(refused.message.endsWith(`; ${hint}`), refused.message).toBe(true);
  });

  it.each([
    ['GET', '/library/books/1/2/3', 404],
    ['GET', '/_somethingElse', 404],
    ['PATCH', '/library/books', 405],
    ['POST', '/users', 405],
  ])('%s %s has nothing to suggest', async (method, path, status) => {
    const refused = await raw(method, path);
    expect(refused).toMatchObject({ status });
    expect(refused.message).not.toContain(';');
  });

  it('index.refreshInternal and user mappings are for administrators once there is one, under both controllers', async () => {
    const secured = await openServer();
    try {
      const names = [
        'index.refreshInternal',
        'security.getUserMapping',
        'collection.getUserMapping',
        'security.updateUserMapping',
        'collection.updateUserMapping',
      ];
      const ask = (name: string, more: JsonObject = {}) => {
        const [controller = '', action = ''] = name.split('.');
        const body = { properties: { team: { type: 'keyword' } } };
        return secured.message({ controller, action, body, ...more });
      };
      const password = 'a password of mine';
      await secured.http('POST', '/_createFirstAdmin', { _id: 'chief', password });
      const login = await secured.message({
        controller: 'auth',
        action: 'login',
        body: { username: 'chief', password },
      });
      const { jwt } = login.result as { readonly jwt: string };
      for (const name of names) {
        expect([name, (await ask(name)).status]).toEqual([name, 401]);
        expect([name, (await ask(name, { jwt })).status]).toEqual([name, 200]);
      }
      const expected = { mapping: { team: { type: 'keyword' } } };
      expect((await ask('collection.getUserMapping', { jwt })).result).toEqual(expected);
      expect((await ask('security.updateUserMapping', { jwt })).result).toEqual({ acknowledged: true });
      const refused = await ask('security.updateUserMapping', { jwt, body: {} });
      expect(refused).toMatchObject({ status: 400, error: { id: 'api.missing_argument' } });
    } finally {
      await secured.close();
    }
  });
});

describe('server.info (PROTO-90)', () => {
  it('lists every action, those without a route by name alone, and the memory store twice', async () => {
    const server = await openServer();
    try {
      const { body } = await server.http('GET', '/_serverInfo');
      const { serverInfo } = body.result as {
        serverInfo: { millrace: { api: { routes: Record<string, JsonObject> } } };
      };
      const { routes } = serverInfo.millrace.api;
      expect(routes['realtime']?.['subscribe']).toEqual({ name: 'subscribe' });
      expect(routes['collection']?.['getUserMapping']).toEqual({ name: 'getUserMapping' });
      expect(routes['ms']).toEqual(routes['memoryStorage']);
      expect(routes['ms']?.['ping']).toEqual({ name: 'ping', method: 'GET', route: '/ms/_ping' });
      expect(routes['document']?.['upsert']).toMatchObject({ method: 'POST' });
      const asked = await server.message({ controller: 'server', action: 'info' });
      expect(asked.result).toMatchObject({ serverInfo: { millrace: { api: { routes } } } });
    } finally {
      await server.close();
    }
  });
});
