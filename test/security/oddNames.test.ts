import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, startSecured, type SecuredServer } from './securedServer.js';

const NAMES = [
  'Ada', 'ada', 'ADA', 'ada ', ' ada', 'ada.', 'ada/x', 'ada\\x', '../ada', '..', '.', '%61da', 'ada%00', 'ada?x=1', 'ada#x', '*',
  'a,d,a', "ada' OR '1'='1", 'ada"', '<ada>', '${ada}', 'constructor', 'toString', 'hasOwnProperty', '\u00e9', 'e\u0301',
  '\u{1f600}', '\uff41da', 'ada\u200b', '\u202eada', 'null', 'undefined', 'true', '0', '-2', 'local:ada', 'x'.repeat(512),
]; // prettier-ignore
const REFUSED = [
  '',
  '-1',
  '_ada',
  '__proto__',
  'ada\u0000',
  'ada\n',
  '\u007f',
  '\ud800',
  'x'.repeat(513),
  '\u{1f600}'.repeat(129),
];

describe('names of users, profiles and roles (SEC-40)', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    server = await startSecured();
  });
  afterAll(() => server.close());

  const ask = (action: string, _id: string, body: object | null = null) =>
    server.message({
      controller: 'security',
      action,
      _id,
      body: body as never,
      jwt: server.adminJwt,
    });
  const nothing = flatRole({ server: ['now'] });

  it('are kept apart however alike they look: each user logs in by its own name and password alone', async () => {
    const passwordOf = (i: number) => `the-Password-of-number-${i}`;
    for (const [i, name] of NAMES.entries()) {
      const made = await ask('createUser', name, {
        profileIds: ['default'],
        password: passwordOf(i),
        rank: i,
      });
      expect([name, made.status, made.result._id]).toEqual([name, 200, name]);
    }
    for (const [i, name] of NAMES.entries()) {
      const right = await server.login(name, passwordOf(i));
      expect([name, right.status, right.result._id]).toEqual([name, 200, name]);
      const wrong = await server.login(name, passwordOf((i + 1) % NAMES.length));
      expect([name, wrong.status]).toEqual([name, 401]);
      const me = await server.message({
        controller: 'auth',
        action: 'getCurrentUser',
        jwt: right.result.jwt as string,
      });
      expect(me.result).toMatchObject({ _id: name, _source: { rank: i } });
    }
    for (const name of NAMES) expect((await ask('deleteUser', name)).result).toEqual({ _id: name });
    for (const [i, name] of NAMES.entries())
      expect([name, (await server.login(name, passwordOf(i))).status]).toEqual([name, 401]);
  });

  it('are kept apart for roles and profiles too', async () => {
    for (const [i, name] of NAMES.entries()) {
      const role = flatRole({ server: [`action${i}`] });
      expect([name, (await ask('createRole', name, role)).status]).toEqual([name, 200]);
      expect([name, (await ask('createProfile', name, { policies: [{ roleId: name }] })).status]).toEqual([name, 200]);
    }
    for (const [i, name] of NAMES.entries()) {
      const { result } = await ask('getProfileRights', name);
      expect(result.hits).toEqual([expect.objectContaining({ controller: 'server', action: `action${i}` })]);
    }
  });

  it.each(REFUSED)('%j is refused to all three', async (name) => {
    const shown = name.slice(0, 20);
    for (const [action, body] of [
      ['createUser', { profileIds: ['default'], password: 'the-Password' }],
      ['createOrReplaceUser', { profileId: 'default', password: 'the-Password' }],
      ['createRestrictedUser', { password: 'the-Password' }],
      ['createRole', nothing],
      ['createProfile', { policies: [{ roleId: 'default' }] }],
    ] as const) {
      // What only users may not be called is fine for roles and profiles.
      if (name === '-1' && !action.endsWith('User')) continue;
      const { status } = await ask(action, name, body);
      expect([shown, action, status]).toEqual([shown, action, 400]);
    }
    for (const action of [
      'getUser',
      'getRole',
      'getProfile',
      'deleteUser',
      'deleteRole',
      'deleteProfile',
      'getUserRights',
    ]) {
      // The anonymous user and its rights may be read (SEC-40).
      if (name === '-1' && action.startsWith('getUser')) continue;
      const { status } = await ask(action, name);
      expect([shown, action, [400, 404].includes(status)]).toEqual([shown, action, true]);
    }
  });

  it('of the anonymous user reach nothing', async () => {
    for (const action of ['updateUser', 'deleteUser', 'createOrReplaceUser']) {
      const { status } = await ask(action, '-1', { profileId: 'admin', password: 'the-Password' });
      expect([action, status >= 400 && status < 500]).toEqual([action, true]);
    }
    expect((await server.login('-1', 'the-Password')).status).toBe(401);
    expect((await server.http('GET', '/_list', { jwt: null })).status).toBe(401);
    const { result } = await server.message({ controller: 'auth', action: 'getCurrentUser' });
    expect(result).toMatchObject({ _id: '-1', _source: { profileIds: ['anonymous'] } });
  });

  it('names of members of prototypes give no right', async () => {
    for (const name of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty']) {
      const user = await server.account(
        JSON.parse(
          `{"controllers": {"${name}": {"actions": {"${name}": true}}, "server": {"actions": {"${name}": true}}}}`,
        ) as never,
      );
      const asked = [
        { controller: 'server', action: 'now' },
        { controller: 'security', action: 'getUser', _id: server.adminId },
        { controller: 'index', action: 'list' },
      ];
      for (const fields of asked) {
        expect((await server.message({ ...fields, jwt: user.jwt })).status).toBe(403);
      }
      const odd = await server.message({ controller: name, action: name, jwt: user.jwt });
      expect(odd.status).toBe(404);
    }
  });
});
