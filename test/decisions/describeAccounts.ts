import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, fresh } from '../security/securedServer.js';
import { callOn, listIn } from './callOn.js';
import { openSecured, type SecuredTestServer } from './SecuredTestServer.js';
import { PROTOCOLS, type TestedEngine } from './TestServer.js';

const PASSWORD = 'a long password of ours';
const NOTHING: JsonObject = { controllers: { document: { actions: { get: false } } } };

export function describeAccounts(engine: TestedEngine): void {
  describe('accounts', () => {
    let server: SecuredTestServer;
    beforeAll(async () => {
      server = await openSecured(engine);
    });
    afterAll(() => server.close());

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const anyone = callOn((fields) => server.call(protocol, fields));
      const admin = callOn(
        (fields) => server.call(protocol, fields),
        () => ({ jwt: server.adminJwt }),
      );
      const newUser = async (properties: JsonObject = {}) => {
        const _id = fresh('user');
        const body = { profileIds: ['default'], password: PASSWORD, ...properties };
        const made = await admin.result('security.createUser', { _id, body });
        return { _id, source: made._source as JsonObject };
      };
      const logIn = async (username: string, password = PASSWORD) => {
        const body = { username, password };
        const { jwt } = await anyone.result('auth.login', { strategy: 'local', body });
        return jwt as string;
      };
      const newProfile = async (policies: JsonObject[]) => {
        const _id = fresh('profile');
        return { _id, result: await admin.result('security.createProfile', { _id, body: { policies } }) };
      };

      it('logout is always allowed with a valid token, whatever the roles say (SEC-31)', async () => {
        const { jwt } = await server.account(NOTHING);
        expect(await anyone.outcome('auth.getCurrentUser', { jwt })).toMatch(/^403 /);
        expect(await anyone.result('auth.logout', { jwt })).toEqual({});
        expect(await anyone.outcome('auth.logout', { jwt })).toMatch(/^401 /);
        expect(await anyone.outcome('auth.logout')).toMatch(/^401 /);
        const denied = await server.account({ controllers: { auth: { actions: { logout: false } } } });
        expect(await anyone.outcome('auth.logout', { jwt: denied.jwt })).toBe('200');
      });

      it('the profile default has the actions of the user’s own account (SEC-48)', async () => {
        const { _id } = await newUser();
        const jwt = await logIn(_id);
        expect(await anyone.result('auth.getCurrentUser', { jwt })).toMatchObject({
          _id,
          _source: {
            profileIds: ['default'],
            profileId: 'default',
            profile: { _id: 'default', roles: [{ _id: 'default' }] },
            profiles: [{ _id: 'default', roles: [{ _id: 'default' }] }],
          },
        });
        expect(await anyone.outcome('auth.updateSelf', { jwt, body: { nick: 'x' } })).toBe('200');
        for (const key of ['_id', 'suid', 'profileId', 'profileIds']) {
          expect(await anyone.outcome('auth.updateSelf', { jwt, body: { [key]: 'x' } })).toMatch(/^400 /);
        }
        expect(await anyone.outcome('document.create', { jwt, index: 'i', collection: 'c', body: {} })).toMatch(
          /^403 /,
        );
        const renewed = await anyone.result('auth.refreshToken', { jwt, body: {} });
        expect(renewed).toMatchObject({ _id, jwt: expect.any(String) as string });
        expect(await anyone.outcome('auth.getCurrentUser', { jwt })).toMatch(/^401 /);
      });

      it('without a token: what is listed, and nothing else', async () => {
        for (const name of ['auth.getCurrentUser', 'auth.getMyRights', 'auth.getStrategies', 'server.info', 'server.now', 'server.adminExists', 'server.healthCheck']) {
          expect([name, await anyone.outcome(name)]).toEqual([name, '200']);
        } // prettier-ignore
        for (const name of ['index.list', 'server.getConfig', 'realtime.list', 'security.getUserMapping', 'index.refreshInternal']) {
          expect([name, await anyone.outcome(name)]).toEqual([name, expect.stringMatching(/^401 /)]);
        } // prettier-ignore
      });

      it('policies name their role by _id or roleId, and are returned with both', async () => {
        const roleId = fresh('role');
        await admin.result('security.createRole', { _id: roleId, body: NOTHING });
        const restrictedTo = [{ index: 'open', collections: ['things'] }];
        const sent = [
          { _id: roleId, restrictedTo },
          { roleId: 'default', allowInternalIndex: true },
        ];
        const { _id, result } = await newProfile(sent);
        const policies = [
          { _id: roleId, roleId, restrictedTo },
          { _id: 'default', roleId: 'default' },
        ];
        expect(result._source).toMatchObject({ policies });
        expect(await admin.result('security.getProfile', { _id })).toMatchObject({ _id, _source: { policies } });
        const updated = await admin.result('security.updateProfile', { _id, body: { roles: [{ _id: 'default' }] } });
        expect(updated._source).toMatchObject({ policies: [{ _id: 'default' }] });
        const replaced = await admin.result('security.createOrReplaceProfile', { _id, body: { policies: sent } });
        expect(replaced._source).toMatchObject({ policies });
        for (const wrong of [[{ roleId: fresh('none') }], [{ roleId: 'default', restrictedTo: [{ collections: ['a'] }] }]]) {
          expect(await admin.outcome('security.createProfile', { _id: fresh('p'), body: { policies: wrong } })).toMatch(/^400 /);
        } // prettier-ignore
      });

      it('allowInternalIndex has no effect', async () => {
        const roleId = fresh('role');
        await admin.result('security.createRole', { _id: roleId, body: flatRole({ '*': ['*'] }) });
        const { _id: profileId } = await newProfile([{ roleId, allowInternalIndex: true }]);
        const { _id } = await newUser({ profileIds: [profileId] });
        const fields = { jwt: await logIn(_id), index: '%millrace', collection: 'users', body: {} };
        expect(await anyone.outcome('document.search', fields)).toMatch(/^403 /);
      });

      it('roles and users are returned whole after an update; mGet leaves unknown ids out', async () => {
        const roleId = fresh('role');
        const body = flatRole({ document: ['get'] });
        await admin.result('security.createRole', { _id: roleId, body });
        const update = { controllers: { document: { actions: { count: true } } } };
        const merged = { controllers: { document: { actions: { get: true, count: true } } } };
        expect((await admin.result('security.updateRole', { _id: roleId, body: update }))._source).toEqual(merged);
        expect(await admin.result('security.mGetRoles', { body: { ids: [roleId, 'none'] } })).toMatchObject({
          total: 1,
          hits: [{ _id: roleId }],
        });
        const { _id } = await newUser({ team: 'a' });
        const changed = await admin.result('security.updateUser', { _id, body: { nick: 'n' } });
        expect(changed._source).toMatchObject({ team: 'a', nick: 'n', profileIds: ['default'] });
        expect(JSON.stringify(changed)).not.toContain(PASSWORD);
      });

      it.each([{ controllers: { a: true } }, { indexes: { i: {} } }, { indexes: {}, controllers: {} }])(
        'the malformed role %j is a 400 that names the path',
        async (body) => {
          const { status, error } = await admin.response('security.createRole', {
            _id: fresh('role'),
            body: body as JsonObject,
          });
          expect(status).toBe(400);
          expect(error?.message).toMatch(/indexes|controllers/);
        },
      );

      it('profileId is stored as a list of one; both are returned; an unknown profile is a 400', async () => {
        const _id = fresh('user');
        const body = { profileId: 'default', password: PASSWORD };
        await admin.result('security.createUser', { _id, body });
        const found = await admin.result('security.getUser', { _id });
        expect(found._source).toMatchObject({
          profileId: 'default',
          profileIds: ['default'],
          suid: expect.any(String) as string,
        });
        const unknown = { ...body, profileId: fresh('none') };
        expect(await admin.outcome('security.createUser', { _id: fresh('user'), body: unknown })).toMatch(/^400 /);
      });

      it('users are found by search at once', async () => {
        const team = fresh('team');
        const { _id } = await newUser({ team });
        const search = async () => {
          const body = { query: { term: { 'team.keyword': team } } };
          return listIn(await admin.result('security.searchUsers', { body }), 'hits').map((hit) => hit['_id']);
        };
        expect(await search()).toEqual([_id]);
        await admin.result('security.deleteUser', { _id });
        expect(await search()).toEqual([]);
      });

      it('createOrReplaceUser without a password keeps credentials and suid, and needs one for a new user', async () => {
        const { _id, source } = await newUser({ team: 'a' });
        const body = { profileIds: ['default'] };
        const replaced = await admin.result('security.createOrReplaceUser', { _id, body });
        expect(replaced._source).toMatchObject({ suid: source['suid'] });
        expect(replaced._source).not.toHaveProperty('team');
        expect(await logIn(_id)).toMatch(/\./);
        expect(await admin.outcome('security.createOrReplaceUser', { _id: fresh('user'), body })).toMatch(/^400 /);
      });

      it('a profile or role in use, what is built in and the last administrator can’t be deleted: 412 (SEC-1, SEC-8, SEC-23)', async () => {
        const { profileId, roleId } = await server.account(NOTHING);
        expect(await admin.outcome('security.deleteProfile', { _id: profileId })).toMatch(/^412 /);
        expect(await admin.outcome('security.deleteRole', { _id: roleId })).toMatch(/^412 /);
        for (const _id of ['admin', 'default', 'anonymous']) {
          expect(await admin.outcome('security.deleteProfile', { _id })).toMatch(/^412 /);
          expect(await admin.outcome('security.deleteRole', { _id })).toMatch(/^412 /);
        }
        expect(await admin.outcome('security.deleteUser', { _id: server.adminId })).toMatch(/^412 /);
        const body = { profileIds: ['default'] };
        expect(await admin.outcome('security.updateUser', { _id: server.adminId, body })).toMatch(/^412 /);
      });

      it('mappings of users show free properties alone', async () => {
        const name = fresh('p').replace('-', '');
        const body = { properties: { [name]: { type: 'keyword' } } };
        expect(await admin.result('security.updateUserMapping', { body })).toEqual({ acknowledged: true });
        const { mapping } = await admin.result('security.getUserMapping');
        expect(mapping).toMatchObject({ [name]: { type: 'keyword' } });
        expect(mapping).not.toHaveProperty('profileIds');
      });

      it('one’s own credentials', async () => {
        const { id, password, jwt } = await server.account(flatRole({ auth: ['*'] }));
        const own = { jwt, strategy: 'local' };
        const has = async () => (await anyone.response('auth.hasMyCredentials', own)).result;
        expect(await has()).toBe(true);
        const body = { password: PASSWORD, currentPassword: password };
        expect(await anyone.result('auth.updateMyCredentials', { ...own, body })).toEqual({});
        expect(await logIn(id)).toMatch(/\./);
        const current = { currentPassword: PASSWORD };
        expect(await anyone.result('auth.deleteMyCredentials', { ...own, body: current })).toEqual({
          acknowledged: true,
        });
        expect(await has()).toBe(false);
        expect(await anyone.result('auth.createMyCredentials', { ...own, body: { password } })).toEqual({});
        expect(await logIn(id, password)).toMatch(/\./);
      });

      it.each<[unknown, number]>([
        [60, 60_000],
        ['60', 60_000],
        ['2 days', 172_800_000],
        ['10h', 36_000_000],
        ['1m', 60_000],
      ])('a token lives as long as expiresIn says: %j', async (expiresIn, ms) => {
        const startMs = Date.now();
        const body = { username: server.adminId, password: 'wrong' };
        expect(await anyone.outcome('auth.login', { strategy: 'local', body })).toMatch(/^401 /);
        const renewed = await server.account(flatRole({ auth: ['refreshToken', 'checkToken'] }));
        const fields = { jwt: renewed.jwt, body: { expiresIn: expiresIn as string } };
        const { jwt, expiresAt } = await anyone.result('auth.refreshToken', fields);
        expect(Number(expiresAt) - startMs).toBeGreaterThanOrEqual(ms - 1_000);
        expect(Number(expiresAt) - Date.now()).toBeLessThanOrEqual(ms + 1_000);
        expect(await anyone.result('auth.checkToken', { body: { token: jwt ?? null } })).toMatchObject({ valid: true });
        expect(await anyone.result('auth.checkToken', { body: { token: renewed.jwt } })).toMatchObject({
          valid: false,
          state: 'revoked',
        });
      });

      it.each([0, -1, 'soon', '31 days', 1.5])('expiresIn %j is a 400', async (expiresIn) => {
        const { jwt } = await server.account(flatRole({ auth: ['refreshToken'] }));
        expect(await anyone.outcome('auth.refreshToken', { jwt, body: { expiresIn } })).toMatch(/^400 /);
      });

      it('checkToken says what is wrong with a token, and fails for none', async () => {
        const state = async (token: string) => (await anyone.result('auth.checkToken', { body: { token } })).state;
        expect(await state('nonsense')).toBe('malformed');
        const [head, payload] = server.adminJwt.split('.');
        expect(await state(`${head ?? ''}.${payload ?? ''}.${'A'.repeat(43)}`)).toBe('invalid signature');
        expect(await anyone.outcome('auth.checkToken', { body: {} })).toMatch(/^400 /);
        const { _id } = await newUser();
        const jwt = await logIn(_id);
        await admin.result('security.deleteUser', { _id });
        expect(await state(jwt)).toBe('revoked');
        expect(await anyone.outcome('server.now', { jwt })).toMatch(/^401 /);
      });

      it('lists of rights are sorted, one item for each action, and a condition reads as conditional', async () => {
        const when = { equals: { 'document.owner': { $ref: 'user._id' } } };
        const actions = { get: { when }, search: true, delete: false };
        const { jwt } = await server.account({
          controllers: { document: { actions }, auth: { actions: { getMyRights: true } } },
        });
        const { hits } = await anyone.result('auth.getMyRights', { jwt });
        const everywhere = { index: '*', collection: '*' };
        const inDocument = (hits as JsonObject[]).filter(({ controller }) => controller === 'document');
        expect(inDocument).toEqual([
          { controller: 'document', action: 'delete', ...everywhere, value: 'denied' },
          { controller: 'document', action: 'get', ...everywhere, value: 'conditional' },
          { controller: 'document', action: 'search', ...everywhere, value: 'allowed' },
        ]);
      });
    });
  });
}
