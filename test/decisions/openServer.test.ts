import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServer, type TestServer } from './onEveryEngine.js';

const PASSWORD = 'a password of mine';
const OPEN = [
  { controller: '*', action: '*', index: '*', collection: '*', value: 'allowed' },
  { controller: 'server', action: 'getConfig', index: '*', collection: '*', value: 'denied' },
];

describe('a server without administrator (decisions.md section 7)', () => {
  let server: TestServer;
  let jwt: string;
  beforeAll(async () => {
    server = await openServer();
    const role = { controllers: { auth: { actions: { logout: true } } } };
    await server.http('POST', '/roles/nothing/_create', role);
    await server.http('POST', '/profiles/nothing/_create', { policies: [{ roleId: 'nothing' }] });
    await server.http('POST', '/users/ada/_create', {
      profileIds: ['nothing'],
      password: PASSWORD,
    });
    const login = await server.http('POST', '/_login', { username: 'ada', password: PASSWORD });
    jwt = (login.body.result as { readonly jwt: string }).jwt;
  });
  afterAll(() => server.close());

  const senders = () => [{}, { jwt }];
  const ask = async (name: string, more: JsonObject) => {
    const [controller = '', action = ''] = name.split('.');
    return server.message({ controller, action, index: 'open', collection: 'things', ...more });
  };

  it('lets every request do everything, with a token or without', async () => {
    const body = { _id: 'a', n: 1 };
    for (const sender of senders()) {
      const names: readonly [string, JsonObject][] = [
        ['document.createOrReplace', { body }],
        ['document.search', { body: {} }],
        ['document.updateByQuery', { body: { query: { match_all: {} }, doc: {} } }],
        ['document.delete', { _id: 'a' }],
        ['realtime.list', {}],
        ['security.searchUsers', { body: {} }],
        ['security.getUserMapping', {}],
        ['index.refreshInternal', {}],
        ['index.delete', {}],
      ];
      for (const [name, more] of names) {
        const { status } = await ask(name, { ...more, ...sender });
        expect([name, status]).toEqual([name, 200]);
      }
      const headers = 'jwt' in sender ? { authorization: `Bearer ${sender.jwt}` } : {};
      expect((await server.http('PUT', '/open', undefined, headers)).status).toBe(200);
      expect((await server.http('DELETE', '/open', undefined, headers)).status).toBe(200);
    }
  });

  it('shows its configuration to neither', async () => {
    expect((await ask('server.getConfig', {})).status).toBe(401);
    expect((await ask('server.getConfig', { jwt })).status).toBe(403);
  });

  it('says so in the lists of rights', async () => {
    for (const sender of senders()) {
      expect((await ask('auth.getMyRights', sender)).result).toEqual({ hits: OPEN });
    }
    const headers = { authorization: `Bearer ${jwt}` };
    expect((await server.http('GET', '/users/_me/_rights', undefined, headers)).body.result).toEqual({ hits: OPEN }); // prettier-ignore
    expect((await server.http('GET', '/users/ada/_rights')).body.result).toEqual({ hits: OPEN });
  });

  it('the anonymous user can be looked up, and nobody can take its id', async () => {
    const _source = { profileIds: ['anonymous'], profileId: 'anonymous' };
    expect((await server.http('GET', '/users/-1')).body.result).toEqual({ _id: '-1', _source });
    expect((await ask('security.getUser', { _id: '-1' })).result).toEqual({ _id: '-1', _source });
    expect((await ask('security.getUserRights', { _id: '-1' })).result).toEqual({ hits: OPEN });
    const body = { profileIds: ['default'], password: PASSWORD };
    expect((await server.http('POST', '/users/-1/_create', body)).status).toBe(400);
  });

  it('with the first administrator, roles hold again, for those with a token too', async () => {
    expect((await server.http('POST', '/_createFirstAdmin', { _id: 'chief', password: PASSWORD })).status).toBe(200); // prettier-ignore
    expect((await ask('document.search', { body: {} })).status).toBe(401);
    expect((await ask('document.search', { body: {}, jwt })).status).toBe(403);
    expect((await ask('auth.getMyRights', { jwt })).status).toBe(403);
    const { hits } = (await ask('auth.getMyRights', {})).result as { hits: JsonObject[] };
    expect(hits).toContainEqual({ controller: 'server', action: 'now', index: '*', collection: '*', value: 'allowed' }); // prettier-ignore
    expect(hits).not.toContainEqual(OPEN[0]);
  });
});
