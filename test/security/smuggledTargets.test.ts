import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import {
  flatRole,
  fresh,
  roleOn,
  startSecured,
  type Account,
  type Reply,
  type SecuredServer,
} from './securedServer.js';

/**
 * Requests whose target is spelled so that the right would be checked on one thing and the work done on another (SEC-32). MINE and HIDDEN stand for the two indexes; both have a collection `docs` with a document `d`.
 */
const MARK = 'hidden-value-of-somebody-else';

/** Message form: fields next to or in place of index `MINE`, collection `docs`, `_id` `d`. */
const MESSAGES: readonly [string, JsonObject][] = [
  ['an index list', { index: ['MINE', 'HIDDEN'] }],
  ['an index list of one', { index: ['HIDDEN'] }],
  ['an index object', { index: { 0: 'HIDDEN', toString: 'MINE' } }],
  ['indexes by comma', { index: 'MINE,HIDDEN' }],
  ['indexes by comma, hidden first', { index: 'HIDDEN,MINE' }],
  ['an index wildcard', { index: '*' }],
  ['an index prefix', { index: 'hidden*' }],
  ['_all', { index: '_all' }],
  ['an excluding pattern', { index: '*,-MINE' }],
  ['a NUL in the index', { index: 'HIDDEN\u0000' }],
  ['a NUL between', { index: 'MINE\u0000HIDDEN' }],
  ['another case', { index: 'HIDDEN_UPPER' }],
  ['a blank behind', { index: 'HIDDEN ' }],
  ['a line break behind', { index: 'HIDDEN\n' }],
  ['a separator in the index', { index: 'MINE/../HIDDEN' }],
  ['a separator and a collection in the index', { index: 'HIDDEN/docs' }],
  ['a backslash', { index: 'MINE\\..\\HIDDEN' }],
  ['a colon (cluster)', { index: 'local:HIDDEN' }],
  ['date math', { index: '<HIDDEN>' }],
  ['a percent-encoding', { index: 'HIDDEN%00' }],
  ['an encoded separator', { index: 'MINE%2F..%2FHIDDEN' }],
  ['a quote', { index: "MINE' OR '1'='1" }],
  ['SQL', { index: 'MINE"; SELECT * FROM "HIDDEN' }],
  ['a full-width letter', { index: 'HIDDEN\uff0f' }],
  ['a zero-width blank', { index: 'HIDDEN\u200b' }],
  ['a collection list', { collection: ['docs', 'secret'] }],
  ['collections by comma', { collection: 'docs,secret' }],
  ['a collection wildcard', { collection: '*' }],
  ['a collection that climbs', { collection: '../HIDDEN/docs' }],
  ['a collection with an index', { collection: 'HIDDEN/docs' }],
  ['a collection with a dot path', { collection: '..' }],
  ['a NUL in the collection', { collection: 'docs\u0000secret' }],
  ['an id that climbs', { _id: '../../HIDDEN/docs/d' }],
  ['an encoded id that climbs', { _id: '..%2f..%2fHIDDEN%2fdocs%2fd' }],
  ['an id list', { _id: ['d', 'HIDDEN'] }],
  ['an id object', { _id: { _index: 'HIDDEN', _id: 'd' } }],
  ['an id with an index', { _id: 'HIDDEN/docs/d' }],
  ['index in the body', { body: { index: 'HIDDEN', _index: 'HIDDEN', collection: 'docs', _type: 'docs' } }],
  ['index in metadata', { metadata: { index: 'HIDDEN', collection: 'docs', jwt: 'ADMIN' } }],
  ['a target object', { target: { index: 'HIDDEN' }, args: { index: 'HIDDEN' }, params: { index: 'HIDDEN' } }],
  ['a resource', { resource: { index: 'HIDDEN', collection: 'docs', _id: 'd' }, input: { resource: { index: 'HIDDEN' } } }],
  ['_index and _type', { _index: 'HIDDEN', _type: 'docs' }],
  ['a user', { user: { _id: 'ADMIN', profileIds: ['admin'] } }],
  ['a context', { context: { user: { _id: 'ADMIN', profileIds: ['admin'] }, token: { userId: 'ADMIN' } } }],
  ['a session', { session: { userId: 'ADMIN', tokenId: 'x' }, connection: { user: { _id: 'ADMIN' } } }],
  ['profileIds', { profileIds: ['admin'], rights: { '*': true } }],
  ['__proto__', JSON.parse('{"__proto__": {"index": "HIDDEN", "user": {"_id": "ADMIN"}}}') as JsonObject],
  ['constructor', { constructor: { prototype: { index: 'HIDDEN' } } }],
  ['another spelling of the controller', { controller: 'Document', index: 'HIDDEN' }],
  ['a controller with a blank', { controller: 'document ', index: 'HIDDEN' }],
  ['a controller list', { controller: ['document'], index: 'HIDDEN' }],
  ['the controller admin', { controller: 'admin', index: 'HIDDEN' }],
  ['a controller of a prototype', { controller: '__proto__', index: 'HIDDEN' }],
  ['an action of a prototype', { action: 'constructor', index: 'HIDDEN' }],
  ['the hidden index itself', { index: 'HIDDEN' }],
]; // prettier-ignore

/** HTTP: the raw path (and query). */
const PATHS = [
  '/HIDDEN/docs/d', '/MINE/../HIDDEN/docs/d', '/MINE/docs/../../HIDDEN/docs/d', '/MINE/%2e%2e/HIDDEN/docs/d',
  '/MINE/%2E%2E%2FHIDDEN/docs/d', '/MINE%2F..%2FHIDDEN/docs/d', '/MINE/docs/..%2f..%2fHIDDEN%2fdocs%2fd', '//HIDDEN/docs/d',
  '/./HIDDEN/docs/d', '/api/1.0/HIDDEN/docs/d', '/api/1.0/../../HIDDEN/docs/d', '/MINE/docs/d?index=HIDDEN',
  '/MINE/docs/d?_index=HIDDEN&_type=docs', '/MINE/docs/d?index=MINE&index=HIDDEN', '/MINE/docs/d?index[]=HIDDEN',
  '/MINE/docs/d?body={"index":"HIDDEN"}', '/MINE/docs/d?controller=security&action=getUser&_id=ADMIN', '/MINE/docs/d?user=ADMIN',
  '/MINE,HIDDEN/docs/d', '/*/docs/d', '/hidden*/docs/d', '/_all/docs/d', '/MINE/docs/d%00', '/HIDDEN%00/docs/d',
  '/HIDDEN%20/docs/d', '/%48IDDEN/docs/d', '/HIDDEN;x=y/docs/d', '/MINE/docs;HIDDEN/d', '/HIDDEN\\docs\\d', '/MINE/docs/d/../../../HIDDEN/docs/d',
  '/MINE/docs/_mGet?index=HIDDEN', 'http://127.0.0.1/HIDDEN/docs/d', '/MINE/docs/d#/HIDDEN/docs/d',
]; // prettier-ignore

const HEADERS: readonly Record<string, string>[] = [
  { 'x-original-url': '/HIDDEN/docs/d' }, { 'x-rewrite-url': '/HIDDEN/docs/d' }, { 'x-http-method-override': 'DELETE' },
  { 'x-method-override': 'DELETE' }, { 'x-forwarded-user': 'ADMIN' }, { 'x-user': 'ADMIN', 'x-user-id': 'ADMIN' },
  { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }, { cookie: 'jwt=ADMIN; authToken=ADMIN' }, { index: 'HIDDEN' },
]; // prettier-ignore

describe('smuggled targets (SEC-32)', () => {
  let server: SecuredServer;
  let user: Account;
  let mine: string;
  let hidden: string;
  beforeAll(async () => {
    server = await startSecured();
    [mine, hidden] = [fresh('mine'), fresh('hidden')];
    for (const index of [mine, hidden]) {
      await server.result('PUT', `/${index}/docs/d`, {
        body: { text: index === hidden ? MARK : 'own' },
      });
    }
    await server.result('PUT', `/${mine}/secret/d`, { body: { text: MARK } });
    const actions = { document: ['*'], bulk: ['import'], collection: ['*'], index: ['*'] };
    user = await server.account(roleOn(mine, actions, 'docs'));
  });
  afterAll(() => server.close());

  const fill = (text: string) =>
    text
      .replaceAll('HIDDEN_UPPER', hidden.toUpperCase())
      .replaceAll('%48IDDEN', `%${(hidden.codePointAt(0) ?? 0).toString(16)}${hidden.slice(1)}`)
      .replaceAll('HIDDEN', hidden)
      .replaceAll('MINE', mine)
      .replaceAll('ADMIN', server.adminId);
  const filled = <T extends JsonValue>(value: T): T => JSON.parse(fill(JSON.stringify(value))) as T;
  const showsNothing = ({ text, status }: Reply) => {
    expect(text).not.toContain(MARK);
    expect(text).not.toMatch(/"profileIds"|"suid"/);
    expect(status).toBeLessThan(500);
  };
  const isUntouched = async () => {
    for (const path of [`/${hidden}/docs/d`, `/${mine}/secret/d`]) {
      expect(await server.result('GET', path)).toMatchObject({
        _version: 1,
        _source: { text: MARK },
      });
    }
    for (const path of [`/${hidden}/docs`, `/${mine}/secret`]) {
      expect((await server.result('POST', `${path}/_count`, { body: {} })).count).toBe(1);
    }
  };

  it('has a user that may do its own work, so the refusals below are for their own reason', async () => {
    const own = {
      controller: 'document',
      index: mine,
      collection: 'docs',
      _id: 'd',
      jwt: user.jwt,
    };
    for (const action of ['get', 'search', 'count']) {
      expect((await server.message({ ...own, action, body: {} })).status).toBe(200);
    }
    expect((await server.message({ ...own, action: 'createOrReplace', _id: 'e', body: { a: 1 } })).status).toBe(200);
  });

  it.each(MESSAGES)('by %s reach nothing and change nothing', async (_, fields) => {
    for (const action of ['get', 'search', 'mGet', 'deleteByQuery', 'createOrReplace', 'update', 'delete', 'count']) {
      const body = action === 'deleteByQuery' ? { query: { match_all: {} } } : action === 'mGet' ? { ids: ['d'] } : {};
      const message = {
        controller: 'document',
        action,
        index: mine,
        collection: 'docs',
        _id: 'd',
        body,
      };
      showsNothing(await server.message({ ...message, ...filled(fields), jwt: user.jwt }));
    }
    await isUntouched();
  });

  it.each(PATHS)('by the path %s reach nothing and change nothing', async (path) => {
    const target = fill(path).replaceAll(/[{}"\\# ]/g, (found) => (found === '\\' ? found : encodeURIComponent(found)));
    for (const [method, body] of [
      ['GET'],
      ['PUT', { text: 'changed' }],
      ['DELETE'],
      ['POST', { ids: ['d'] }],
    ] as const) {
      showsNothing(
        await server.http(method, target, {
          jwt: user.jwt,
          ...(body === undefined ? {} : { body }),
        }),
      );
    }
    await isUntouched();
  });

  it.each(HEADERS.map((headers) => [JSON.stringify(headers), headers] as const))(
    'by the headers %s reach nothing',
    async (_, headers) => {
      const sent = filled({ ...headers });
      await server.result('PUT', `/${mine}/docs/e`, { body: { text: 'own' } });
      expect((await server.http('GET', `/${mine}/docs/e`, { jwt: user.jwt, headers: sent })).status).toBe(200);
      showsNothing(await server.http('GET', `/${hidden}/docs/d`, { jwt: user.jwt, headers: sent }));
      expect((await server.http('GET', `/users/${server.adminId}`, { jwt: user.jwt, headers: sent })).status).toBe(403);
      expect((await server.http('GET', `/${mine}/docs/e`, { jwt: user.jwt })).status).toBe(200);
      await isUntouched();
    },
  );

  it.each<[string, JsonObject]>([
    ['an _index', { _index: 'HIDDEN', _type: 'docs', _id: 'd' }],
    ['another collection', { _index: 'MINE', _type: 'secret', _id: 'd' }],
    ['index without underscore', { index: 'HIDDEN', _type: 'docs', _id: 'd' }],
    ['an index list', { _index: ['HIDDEN'], _type: 'docs', _id: 'd' }],
    ['an index by comma', { _index: 'MINE,HIDDEN', _type: 'docs', _id: 'd' }],
    ['a wildcard', { _index: '*', _type: 'docs', _id: 'd' }],
    ['a NUL', { _index: 'HIDDEN\u0000', _type: 'docs', _id: 'd' }],
    ['a type that climbs', { _index: 'MINE', _type: '../HIDDEN/docs', _id: 'd' }],
    ['an id that climbs', { _index: 'MINE', _type: 'docs', _id: '../../HIDDEN/docs/d' }],
    ['routing and parent', { _index: 'MINE', _type: 'docs', _id: 'x', _routing: 'HIDDEN', _parent: 'HIDDEN' }],
    ['a pipeline', { _index: 'MINE', _type: 'docs', _id: 'x', pipeline: 'HIDDEN' }],
    ['a prototype', JSON.parse('{"__proto__": {"_index": "HIDDEN"}, "_type": "docs", "_id": "d"}') as JsonObject],
  ])('by a bulk line with %s change nothing', async (_, target) => {
    const line = filled(target);
    const bodies: readonly JsonValue[] = [
      [{ index: line }, { text: 'changed' }],
      [{ create: { ...line, _id: 'new' } }, { text: 'changed' }],
      [{ update: line }, { doc: { text: 'changed' } }],
      [{ delete: line }],
      [{ index: { _index: mine, _type: 'docs', _id: 'ok' } }, { a: 1 }, { delete: line }],
    ];
    for (const bulkData of bodies) {
      for (const path of ['/_bulk', `/${mine}/docs/_bulk`, `/${hidden}/docs/_bulk`]) {
        const reply = await server.http('POST', path, { jwt: user.jwt, body: { bulkData } });
        showsNothing(reply);
        if (path.startsWith(`/${hidden}`)) expect([400, 403]).toContain(reply.status);
      }
    }
    await isUntouched();
  });

  it('by a line of a bulk that is allowed as such are refused line by line', async () => {
    const everywhere = {
      indexes: {
        '*': { collections: { '*': { controllers: { bulk: { actions: { import: true } } } } } },
      },
    };
    const rights = { document: ['*'], bulk: ['import'] };
    const { indexes } = roleOn(mine, rights, 'docs') as { indexes: JsonObject };
    const importer = await server.account({ indexes: { ...everywhere.indexes, ...indexes } });
    const bulkData = [
      { index: { _index: mine, _type: 'docs', _id: 'f' } }, { a: 1 },
      { delete: { _index: hidden, _type: 'docs', _id: 'd' } },
      { index: { _index: hidden, _type: 'docs', _id: 'd' } }, { text: 'changed' },
      { create: { _index: hidden, _type: 'new', _id: 'd' } }, { text: 'changed' },
      { update: { _index: mine, _type: 'secret', _id: 'd' } }, { doc: { text: 'changed' } },
      { delete: { _index: mine, _type: 'docs', _id: 'f' } },
    ]; // prettier-ignore
    const reply = await server.http('POST', '/_bulk', { jwt: importer.jwt, body: { bulkData } });
    expect(reply.status).toBe(206);
    const statuses = (reply.result.hits as readonly JsonObject[]).map(
      (hit) => (Object.values(hit)[0] as JsonObject).status,
    );
    expect(statuses).toEqual([201, 403, 403, 403, 403, 200]);
    showsNothing(reply);
    await isUntouched();
    expect((await server.http('GET', `/${hidden}/new/d`)).status).toBe(404);
  });

  it('by calls that name no index do not leave the restriction of a policy', async () => {
    const restricted = await server.account(
      flatRole({ document: ['*'], bulk: ['*'], collection: ['*'], index: ['*'], realtime: ['*'] }),
    );
    const restrictedTo = [{ index: mine, collections: ['docs'] }];
    const policies = [{ roleId: restricted.roleId, restrictedTo }];
    await server.result('POST', `/profiles/${restricted.profileId}`, { body: { policies } });
    const call = (method: string, path: string, body: JsonObject) =>
      server.http(method, path, { jwt: restricted.jwt, body });

    const lines = [
      { index: { _index: mine, _type: 'docs', _id: 'g' } }, { a: 1 },
      { index: { _index: hidden, _type: 'docs', _id: 'd' } }, { text: 'changed' },
      { delete: { _index: mine, _type: 'secret', _id: 'd' } },
      { create: { _index: fresh('new'), _type: 'docs', _id: 'd' } }, { a: 1 },
    ]; // prettier-ignore
    const bulk = await call('POST', '/_bulk', { bulkData: lines });
    const statuses = (bulk.result.hits as readonly JsonObject[]).map(
      (hit) => (Object.values(hit)[0] as JsonObject).status,
    );
    expect(statuses).toEqual([201, 403, 403, 403]);

    const specification = { strict: true, fields: { never: { type: 'string', mandatory: true } } };
    for (const body of [
      { [hidden]: { docs: specification } },
      { [mine]: { secret: specification } },
      { [mine]: { docs: { strict: false, fields: {} } }, [hidden]: { docs: specification } },
    ]) {
      expect((await call('PUT', '/_specifications', body)).status).toBe(403);
    }
    for (const path of [`/${hidden}/docs/_specifications`, `/${mine}/docs/_specifications`]) {
      expect((await server.http('GET', path)).status).toBe(404);
    }

    for (const body of [{ indexes: [hidden, mine] }, {}]) {
      const reply = await call('DELETE', '/_mDelete', body);
      expect([reply.status, reply.status === 200 ? reply.result : { deleted: [] }]).toEqual([
        reply.status,
        { deleted: [] },
      ]);
    }
    await isUntouched();
  });

  it('by the scroll of another user are refused, and the scroll lives on (SEC-32)', async () => {
    for (let i = 0; i < 5; i++) await server.result('PUT', `/${hidden}-s/docs/${i}`, { body: { text: MARK } });
    const first = await server.result('POST', `/${hidden}-s/docs/_search?scroll=1m&size=2`, {
      body: {},
    });
    const id = first._scroll_id as string;
    const reader = await server.account({ controllers: { document: { actions: { '*': true } } } });
    for (const jwt of [user.jwt, reader.jwt, null]) {
      const reply = await server.http('POST', `/_scroll/${id}`, { jwt, body: { scroll: '1m' } });
      expect([401, 403, 404]).toContain(reply.status);
      showsNothing(reply);
    }
    const own = await server.http('POST', `/_scroll/${id}?scroll=1m`, {});
    expect(own.status).toBe(200);
    expect(own.text).toContain(MARK);
  });
});
