import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';

const SELF = flatRole({
  auth: ['updateSelf', 'getCurrentUser', 'updateMyCredentials'],
  server: ['now'],
});
const PASSWORD = 'a-Password-of-mine';

/** Bodies that would make more of an account (SEC-44). */
const GAINS: readonly [string, JsonObject][] = [
  ['profileIds', { profileIds: ['admin'] }],
  ['profileId', { profileId: 'admin' }],
  ['profileIds with a name', { name: 'x', profileIds: ['default', 'admin'] }],
  ['profileIds as text', { profileIds: 'admin' }],
  ['profileIds null', { profileIds: null }],
  ['profileIds empty', { profileIds: [] }],
  ['profileId as a list', { profileId: ['admin'] }],
  ['profileIds as an object', { profileIds: { 0: 'admin', length: 1 } }],
  ['a dotted path', { 'profileIds.0': 'admin' }],
  ['a path of brackets', { 'profileIds[]': 'admin' }],
  ['another case', { ProfileIds: ['admin'], PROFILEID: 'admin' }],
  ['profile', { profile: { _id: 'admin', roles: [{ _id: 'admin' }] }, profiles: [{ _id: 'admin' }] }],
  ['policies', { policies: [{ roleId: 'admin' }], roles: ['admin'] }],
  ['rights', { rights: { '*': true }, admin: true, isAdmin: true }],
  ['a source', { _source: { profileIds: ['admin'] } }],
  ['a body', { body: { profileIds: ['admin'] }, content: { profileIds: ['admin'] } }],
  ['__proto__', JSON.parse('{"__proto__": {"profileIds": ["admin"], "profileId": "admin"}}') as JsonObject],
  ['constructor', { constructor: { prototype: { profileIds: ['admin'] } } }],
  ['an update operator', { $set: { profileIds: ['admin'] }, doc: { profileIds: ['admin'] } }],
  ['gen', { gen: 'x', _gen: 'x' }],
  ['credentials', { credentials: { local: { hash: 'x' } }, hash: '$argon2id$x', local: { password: PASSWORD } }],
  ['restrictedProfileIds', { restrictedProfileIds: ['admin'] }],
  ['_version', { _version: 1 }],
]; // prettier-ignore

const IDENTITY: readonly [string, JsonObject][] = [
  ['suid', { suid: 'chosen' }],
  ['suid with a name', { name: 'x', suid: 'chosen' }],
  ['suid null', { suid: null }],
  ['_id', { _id: 'chosen' }],
];

describe('mass assignment (SEC-44)', () => {
  let server: SecuredServer;
  let user: Account;
  beforeAll(async () => {
    server = await startSecured();
    user = await server.account(SELF, { name: 'before' });
  });

  const stored = (id: string) => server.result('GET', `/users/${id}`);
  /** Nothing that gives rights or identifies a user has changed, and nothing more may be done. */
  const isAsBefore = async ({ id, jwt, suid, profileId, password }: Account) => {
    const { _id, _source } = await stored(id);
    expect(_id).toBe(id);
    expect(_source).toMatchObject({ suid, profileId, profileIds: [profileId] });
    for (const path of ['/_list', '/_getConfig', `/users/${server.adminId}`]) {
      expect((await server.http('GET', path, { jwt })).status).toBe(403);
    }
    expect((await server.login(id, password)).status).toBe(200);
    const me = await server.result('GET', '/users/_me', { jwt });
    expect(me).toMatchObject({ _id: id, _source: { profile: { _id: profileId } } });
  };

  it.each([...GAINS, ...IDENTITY])('updateSelf gains nothing by %s', async (_, body) => {
    const reply = await server.http('PUT', '/_updateSelf', { jwt: user.jwt, body });
    expect([200, 400]).toContain(reply.status);
    await isAsBefore(user);
  });

  it.each([...GAINS.slice(0, 3), ...IDENTITY])('updateSelf refuses %s', async (_, body) => {
    if (Object.values(body).includes(null)) return;
    const reply = await server.http('PUT', '/_updateSelf', { jwt: user.jwt, body });
    expect(reply.status).toBe(400);
    expect((await stored(user.id))._source).toMatchObject({ name: 'before' });
  });

  it.each(GAINS)('signing up gains nothing by %s', async (_, body) => {
    const id = fresh('visitor');
    const path = `/users/${id}/_createRestricted`;
    const reply = await server.http('POST', path, {
      jwt: user.jwt,
      body: { ...body, password: PASSWORD },
    });
    // This user has no right to it; anonymous callers have.
    expect(reply.status).toBe(403);
    const made = await server.http('POST', path, {
      jwt: null,
      body: { ...body, password: PASSWORD },
    });
    expect([200, 400]).toContain(made.status);
    if (made.status === 400) return;
    expect(made.result._source).toMatchObject({ profileIds: ['default'] });
    expect((await stored(id))._source).toMatchObject({
      profileIds: ['default'],
      profileId: 'default',
    });
    const jwt = await server.token(id, PASSWORD);
    expect((await server.http('GET', '/_list', { jwt })).status).toBe(403);
    expect((await server.http('GET', `/users/${id}`, { jwt })).status).toBe(403);
  });

  it.each<[string, JsonObject]>([
    ['of another user', { _id: 'VICTIM' }],
    ['of an administrator', { _id: 'ADMIN' }],
    ['inside metadata', { metadata: { _id: 'ADMIN', user: { _id: 'ADMIN' } } }],
    ['as user', { user: { _id: 'ADMIN', profileIds: ['admin'] }, userId: 'ADMIN' }],
    ['as session and context', { session: { userId: 'ADMIN' }, context: { user: { _id: 'ADMIN' } } }],
    ['as connection', { connection: { user: { _id: 'ADMIN', profileIds: ['admin'] } } }],
  ])('fields of a message %s change no other user', async (_, fields) => {
    const victim = await server.account(SELF, { name: 'before' });
    const thief = await server.account(SELF);
    const filled = JSON.parse(
      JSON.stringify(fields).replaceAll('VICTIM', victim.id).replaceAll('ADMIN', server.adminId),
    ) as JsonObject;
    const message = {
      controller: 'auth',
      action: 'updateSelf',
      jwt: thief.jwt,
      body: { name: 'after' },
    };
    const reply = await server.message({ ...filled, ...message });
    if (reply.status === 200) expect(reply.result._id).toBe(thief.id);
    const change = await server.message({
      ...filled,
      controller: 'auth',
      action: 'updateMyCredentials',
      strategy: 'local',
      jwt: thief.jwt,
      body: { password: 'taken-Over-1', username: victim.id, _id: victim.id },
    });
    expect([200, 400]).toContain(change.status);
    expect((await server.login(victim.id, 'taken-Over-1')).status).toBe(401);
    expect((await server.login(server.adminId, 'taken-Over-1')).status).toBe(401);
    expect((await stored(victim.id))._source).toMatchObject({ name: 'before' });
    expect((await stored(server.adminId))._source).not.toHaveProperty('name');
    await isAsBefore(victim);
  });

  it('createFirstAdmin can not be used again, whatever the body says', async () => {
    for (const body of [
      { password: PASSWORD },
      { password: PASSWORD, reset: true },
      { _id: user.id, password: PASSWORD },
      { _id: server.adminId, password: PASSWORD, reset: true },
    ]) {
      for (const jwt of [null, user.jwt, server.adminJwt]) {
        const reply = await server.http('POST', '/_createFirstAdmin', { jwt, body });
        expect([401, 403, 412]).toContain(reply.status);
      }
    }
    expect((await server.login(server.adminId, PASSWORD)).status).toBe(401);
    await isAsBefore(user);
  });
});

describe('taking over an account by its suid (SEC-41)', () => {
  let server: SecuredServer;
  let victim: Account;
  beforeAll(async () => {
    // Each check tries a wrong password.
    const login = { maxFailuresPerAccount: 1_000, maxFailuresPerAddress: 1_000 };
    server = await startSecured({ security: { login } });
    victim = await server.account(SELF);
  });
  afterAll(() => server.close());

  const isUnharmed = async () => {
    expect((await server.login(victim.id, victim.password)).status).toBe(200);
    expect((await server.login(victim.id, PASSWORD)).status).toBe(401);
    expect((await server.result('GET', `/users/${victim.id}`))._source).toMatchObject({
      suid: victim.suid,
    });
  };
  const body = () => ({ profileIds: [victim.profileId], password: PASSWORD, suid: victim.suid });

  it('createUser with the suid of another: 409', async () => {
    expect((await server.http('POST', `/users/${fresh('thief')}/_create`, { body: body() })).status).toBe(409);
    expect((await server.http('POST', '/users/_create', { body: body() })).status).toBe(409);
    await isUnharmed();
  });

  it('createOrReplaceUser of a new user with the suid of another: 409', async () => {
    expect((await server.http('PUT', `/users/${fresh('thief')}`, { body: body() })).status).toBe(409);
    await isUnharmed();
  });

  it('createOrReplaceUser of an existing user keeps the suid there is', async () => {
    const thief = await server.account(SELF);
    expect((await server.http('PUT', `/users/${thief.id}`, { body: body() })).status).toBeLessThan(500);
    expect((await server.result('GET', `/users/${thief.id}`))._source).toMatchObject({
      suid: thief.suid,
    });
    await isUnharmed();
  });

  it.each<[string, string, string]>([
    ['createRestrictedUser', 'POST', '/users/ID/_createRestricted'],
    ['updateUser', 'POST', '/users/ID'],
    ['createFirstAdmin', 'POST', '/users/ID/_createFirstAdmin'],
  ])('%s refuses a suid', async (_, method, path) => {
    const { id } = await server.account(SELF);
    const target = path.includes('Restricted') ? fresh('thief') : id;
    const sent = { password: PASSWORD, suid: victim.suid };
    const reply = await server.http(method, path.replace('ID', target), { body: sent });
    expect([400, 412]).toContain(reply.status);
    await isUnharmed();
  });

  it('of ten users made at once with one suid, one gets it', async () => {
    const suid = fresh('suid');
    const make = () =>
      server.http('POST', `/users/${fresh('twin')}/_create`, {
        body: { profileIds: [victim.profileId], password: PASSWORD, suid },
      });
    const replies = await Promise.all(Array.from({ length: 10 }, make));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  it('of ten users made at once with one _id, one is made, and its password counts', async () => {
    const id = fresh('twin');
    const make = (_: unknown, i: number) =>
      server.http('POST', `/users/${id}/_create`, {
        body: { profileIds: [victim.profileId], password: `${PASSWORD}-${i}` },
      });
    const replies = await Promise.all(Array.from({ length: 10 }, make));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    const winner = replies.findIndex(({ status }) => status === 200);
    const logins = await Promise.all(replies.map((_, i) => server.login(id, `${PASSWORD}-${i}`)));
    expect(logins.map(({ status }) => status === 200)).toEqual(replies.map((_, i) => i === winner));
  });

  it.each<[string, unknown]>([
    ['a list', ['VICTIM']],
    ['an object', { VICTIM: true }],
    ['a number', 5],
    ['empty', ''],
    ['true', true],
  ])('a suid that is %s is refused', async (_, suid) => {
    const filled = JSON.parse(JSON.stringify({ suid }).replaceAll('VICTIM', victim.suid)) as JsonObject;
    const reply = await server.http('POST', `/users/${fresh('thief')}/_create`, {
      body: { ...body(), ...filled },
    });
    expect(reply.status).toBe(400);
    await isUnharmed();
  });

  it.each<[string, (suid: string) => string]>([
    ['a separator in front', (suid) => `local/${suid}`],
    ['a colon in front', (suid) => `local:${suid}`],
    ['a blank behind', (suid) => `${suid} `],
    ['another case', (suid) => suid.toUpperCase()],
    ['a NUL behind', (suid) => `${suid}\u0000`],
    ['a path that climbs', (suid) => `x/../${suid}`],
    ['a wildcard', () => '*'],
    ['__proto__', () => '__proto__'],
  ])('a suid with %s is another suid, or refused', async (_, spell) => {
    const id = fresh('thief');
    const suid = spell(victim.suid);
    const reply = await server.http('POST', `/users/${id}/_create`, { body: { ...body(), suid } });
    if (suid === victim.suid) expect(reply.status).toBe(409);
    else expect([200, 400]).toContain(reply.status);
    if (reply.status === 200) {
      const jwt = await server.token(id, PASSWORD);
      expect((await server.result('GET', '/users/_me', { jwt }))._id).toBe(id);
    }
    await isUnharmed();
  });
});
