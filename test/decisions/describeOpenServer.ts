import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callOn } from './callOn.js';
import { openServer, PROTOCOLS, type TestedEngine, type TestServer } from './TestServer.js';

const PASSWORD = 'a password of mine';
const OPEN = [
  { controller: '*', action: '*', index: '*', collection: '*', value: 'allowed' },
  { controller: 'server', action: 'getConfig', index: '*', collection: '*', value: 'denied' },
];

export function describeOpenServer(engine: TestedEngine): void {
  describe('a server without administrator (SEC-2)', () => {
    let server: TestServer;
    let jwt: string;
    beforeAll(async () => {
      server = await openServer(await engine());
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

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { outcome, response, result } = callOn((fields) => server.call(protocol, fields));
      const PLACE = { index: 'open', collection: 'things' };

      it('lets every request do everything, with a token or without', async () => {
        const body = { _id: 'a', n: 1 };
        for (const sender of senders()) {
          const names: readonly [string, JsonObject][] = [
            ['document.createOrReplace', { ...PLACE, _id: 'a', body: { n: 1 } }],
            ['document.search', { ...PLACE, body: {} }],
            ['document.updateByQuery', { ...PLACE, body: { query: { match_all: {} }, doc: {} } }],
            ['document.delete', { ...PLACE, _id: 'a' }],
            ['document.create', { ...PLACE, body }],
            ['collection.truncate', PLACE],
            ['realtime.list', {}],
            ['security.searchUsers', { body: {} }],
            ['security.getUserMapping', {}],
            ['index.refreshInternal', {}],
            ['index.delete', { index: 'open' }],
            ['index.create', { index: 'open' }],
            ['index.delete', { index: 'open' }],
          ];
          for (const [name, fields] of names) await result(name, { ...fields, ...sender });
        }
      });

      it('shows its configuration to neither', async () => {
        expect(await outcome('server.getConfig')).toMatch(/^401 /);
        expect(await outcome('server.getConfig', { jwt })).toMatch(/^403 /);
      });

      it('says so in the lists of rights', async () => {
        for (const sender of senders()) {
          expect(await result('auth.getMyRights', sender)).toEqual({ hits: OPEN });
        }
        expect(await result('security.getUserRights', { _id: 'ada' })).toEqual({ hits: OPEN });
        expect(await result('security.getUserRights', { _id: '-1' })).toEqual({ hits: OPEN });
        for (const _id of ['anonymous', 'nothing'])
          expect(await result('security.getProfileRights', { _id })).toEqual({ hits: OPEN });
      });

      it('the anonymous user can be looked up, and no user can take its id', async () => {
        const _source = { profileIds: ['anonymous'], profileId: 'anonymous' };
        expect(await result('security.getUser', { _id: '-1' })).toEqual({ _id: '-1', _source });
        for (const name of ['createUser', 'createOrReplaceUser', 'createFirstAdmin']) {
          const profiles = name === 'createFirstAdmin' ? {} : { profileIds: ['default'] };
          const body = { ...profiles, password: PASSWORD };
          const { status, error } = await response(`security.${name}`, { _id: '-1', body });
          expect([status, error?.message]).toEqual([400, expect.stringContaining('the anonymous user')]);
        }
      });

      it('a token that is not valid is a 401, also here', async () => {
        expect(await outcome('server.now', { jwt: 'a.b.c' })).toMatch(/^401 /);
      });
    });

    it('with the first administrator, roles hold again over every protocol, for those with a token too', async () => {
      const admin = { _id: 'chief', password: PASSWORD };
      expect((await server.http('POST', '/_createFirstAdmin', admin)).status).toBe(200);
      for (const protocol of PROTOCOLS) {
        const { outcome, result } = callOn((fields) => server.call(protocol, fields));
        const search = { index: 'open', collection: 'things', body: {} };
        expect(await outcome('document.search', search)).toMatch(/^401 /);
        expect(await outcome('document.search', { ...search, jwt })).toMatch(/^403 /);
        expect(await outcome('auth.getMyRights', { jwt })).toMatch(/^403 /);
        expect(await outcome('security.createFirstAdmin', { body: { password: PASSWORD } })).toMatch(/^412 /);
        const { hits } = (await result('auth.getMyRights')) as { hits: JsonObject[] };
        expect(hits).toContainEqual({
          controller: 'server',
          action: 'now',
          index: '*',
          collection: '*',
          value: 'allowed',
        });
        expect(hits).not.toContainEqual(OPEN[0]);
      }
    });
  });
}
