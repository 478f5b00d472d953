import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel } from '../startKernel.js';
import { localAuth } from '@millrace/auth-local';
import { callHttp, flatRole, startSecured, type Account, type SecuredServer } from './securedServer.js';

const SELF = flatRole({
  auth: [
    'getCurrentUser',
    'logout',
    'refreshToken',
    'updateSelf',
    'updateMyCredentials',
    'createMyCredentials',
    'deleteMyCredentials',
  ],
  server: ['now'],
});
const NEW_PASSWORD = 'another-Password-8';

describe('tokens that have ended (SEC-45, SEC-52)', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    server = await startSecured();
  });
  afterAll(() => server.close());

  const isDead = async (token: string, state = 'revoked') => {
    expect(await server.tokenState(token)).toEqual({ valid: false, state });
    for (const path of ['/_now', '/users/_me', '/_logout']) {
      const reply = await server.http('GET', path, { jwt: token });
      expect([path, reply.status]).toEqual([path, 401]);
    }
    const byField = await server.message({ controller: 'server', action: 'now', jwt: token });
    expect(byField.status).toBe(401);
  };
  const isAlive = async (token: string) => {
    expect(await server.tokenState(token)).toMatchObject({ valid: true });
    expect((await server.http('GET', '/_now', { jwt: token })).status).toBe(200);
  };
  const another = ({ id, password }: Account) => server.token(id, password);

  it('are refused once they have expired, by the exact message', async () => {
    const { id, password } = await server.account(SELF);
    const token = await server.token(id, password, { expiresIn: 1 });
    await expect.poll(async () => (await server.tokenState(token)).valid).toBe(false);
    await isDead(token, 'expired');
    expect((await server.http('GET', '/_now', { jwt: token })).error.message).toBe('Token expired');
  });

  it('are refused after a logout everywhere, and after an administrator has revoked them; keys stay (SEC-56)', async () => {
    const made = await server.account(SELF);
    const body = { name: 'program' };
    const created = await server.result('POST', `/users/${made.id}/api-keys/_create`, { body });
    const { key } = created as { readonly key: string };
    const second = await another(made);
    await server.result('GET', '/_logout?everywhere=true', { jwt: second });
    for (const token of [second, made.jwt]) await isDead(token);
    const third = await another(made);
    await isAlive(third);
    expect((await server.http('POST', `/users/${made.id}/_revokeTokens`, { jwt: third })).status).toBe(403);
    await isAlive(third);
    await server.result('POST', `/users/${made.id}/_revokeTokens`);
    await isDead(third);
    expect(await server.tokenState(key)).toMatchObject({ valid: true });
    // A key revokes nothing.
    const fourth = await another(made);
    await server.result('GET', '/_logout?everywhere=true', { jwt: key });
    await isAlive(fourth);
    expect((await server.http('POST', '/users/nobody-here/_revokeTokens')).status).toBe(404);
  });

  it('are refused after a logout, the others of the user are not', async () => {
    const made = await server.account(SELF);
    const second = await another(made);
    await server.result('GET', '/_logout', { jwt: second });
    await isDead(second);
    await isAlive(made.jwt);
  });

  it('are refused after they were exchanged for another, also twice at once', async () => {
    const { jwt } = await server.account(SELF);
    const refresh = () => server.http('POST', '/_refreshToken', { jwt });
    const replies = await Promise.all([1, 2, 3, 4, 5].map(refresh));
    const renewed = replies.filter(({ status }) => status === 200);
    expect(renewed.length).toBeGreaterThan(0);
    for (const { status } of replies) expect([200, 401]).toContain(status);
    await isDead(jwt);
    for (const { result } of renewed) await isAlive(result.jwt as string);
  });

  it.each<[string, (made: Account) => Promise<unknown>, boolean]>([
    ['updateSelf', ({ jwt }) => server.result('PUT', '/_updateSelf', { jwt, body: { password: NEW_PASSWORD } }), true],
    [
      'updateMyCredentials',
      ({ jwt }) => server.result('PUT', '/credentials/local/_me/_update', { jwt, body: { password: NEW_PASSWORD } }),
      true,
    ],
    ['updateUser', ({ id }) => server.result('POST', `/users/${id}`, { body: { password: NEW_PASSWORD } }), false],
    [
      'createOrReplaceUser',
      ({ id, profileId }) => server.result('PUT', `/users/${id}`, { body: { profileId, password: NEW_PASSWORD } }),
      false,
    ],
  ])('are refused after %s changed the password; the one that did it stays', async (_, change, staysAlive) => {
    const made = await server.account(SELF);
    const second = await another(made);
    await isAlive(second);
    await change(made);
    await isDead(second);
    if (staysAlive) await isAlive(made.jwt);
    else await isDead(made.jwt);
    expect((await server.login(made.id, made.password)).status).toBe(401);
    await isAlive(await server.token(made.id, NEW_PASSWORD));
  });

  it('do not come from a login with the old password that ran during the change', async () => {
    const made = await server.account(SELF);
    const logins = Array.from({ length: 8 }, () => server.login(made.id, made.password));
    const change = server.result('POST', `/users/${made.id}`, { body: { password: NEW_PASSWORD } });
    const replies = await Promise.all([
      ...logins,
      ...Array.from({ length: 8 }, () => server.login(made.id, made.password)),
    ]);
    await change;
    for (const { status, result } of replies) {
      expect([200, 401]).toContain(status);
      if (status === 200) expect(await server.tokenState(result.jwt as string)).toMatchObject({ valid: false });
    }
    expect((await server.login(made.id, made.password)).status).toBe(401);
  });

  it('are refused after their user was deleted, also those from a login during it', async () => {
    const made = await server.account(SELF);
    const logins = Array.from({ length: 8 }, () => server.login(made.id, made.password));
    const [replies] = await Promise.all([Promise.all(logins), server.result('DELETE', `/users/${made.id}`)]);
    await isDead(made.jwt);
    for (const { status, result } of replies) {
      if (status === 200) await isDead(result.jwt as string);
    }
  });

  it('do not come back to life with a new user of the same _id, suid and password', async () => {
    const made = await server.account(SELF);
    await server.result('DELETE', `/users/${made.id}`);
    const { id, password, profileId, suid } = made;
    const body = { profileIds: [profileId], password, suid };
    await server.result('POST', `/users/${id}/_create`, { body });
    await isDead(made.jwt);
    await isAlive(await server.token(id, password));
  });

  it('do not come back to life where createOrReplaceUser creates the user again', async () => {
    const made = await server.account(SELF);
    await server.result('DELETE', `/users/${made.id}`);
    const { id, password, profileId, suid } = made;
    await server.result('PUT', `/users/${id}`, { body: { profileId, password, suid } });
    await isDead(made.jwt);
  });

  it.each<[string, (made: Account) => Promise<unknown>]>([
    [
      'their role was replaced',
      ({ roleId }) => server.result('PUT', `/roles/${roleId}`, { body: flatRole({ server: ['info'] }) }),
    ],
    [
      'their role was changed',
      ({ roleId }) =>
        server.result('POST', `/roles/${roleId}`, { body: { controllers: { server: { actions: { now: false } } } } }),
    ],
    [
      'their profile was changed',
      ({ profileId }) =>
        server.result('POST', `/profiles/${profileId}`, { body: { policies: [{ roleId: 'anonymous' }] } }),
    ],
    [
      'their user got other profiles',
      ({ id }) => server.result('POST', `/users/${id}`, { body: { profileIds: ['anonymous'] } }),
    ],
  ])('lose their rights at once when %s', async (_, change) => {
    const made = await server.account(flatRole({ server: ['now', 'getLastStats'] }));
    const status = async () => [
      (await server.http('GET', '/_now', { jwt: made.jwt })).status,
      (await server.http('GET', '/_getLastStats', { jwt: made.jwt })).status,
    ];
    expect(await status()).toEqual([200, 200]);
    await change(made);
    // now or getLastStats: each change takes one of the two, and none adds a right.
    expect(await status()).toContain(403);
  });
});

describe('tokens after a restart', () => {
  it('are as valid, revoked or lost with their user as before', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-test-'));
    try {
      const server = await startSecured({}, { server: { dataDir } });
      const made = await server.account(SELF);
      const second = await server.token(made.id, made.password);
      const third = await server.token(made.id, made.password);
      const { result: refreshed } = await server.http('POST', '/_refreshToken', { jwt: third });
      const gone = await server.account(SELF);
      await server.result('GET', '/_logout', { jwt: second });
      await server.result('DELETE', `/users/${gone.id}`);
      await server.close();

      const again = await startKernel({ plugins: [localAuth()], server: { dataDir } });
      const state = async (token: string) => {
        const { result } = await callHttp(again.url, 'POST', '/_checkToken', { body: { token } });
        return result.valid === true ? 'valid' : result.state;
      };
      try {
        const tokens = [made.jwt, refreshed.jwt as string, second, third, gone.jwt];
        expect(await Promise.all(tokens.map(state))).toEqual(['valid', 'valid', 'revoked', 'revoked', 'revoked']);
        expect((await callHttp(again.url, 'GET', '/_now', { jwt: second })).status).toBe(401);
        expect((await callHttp(again.url, 'GET', '/_now', { jwt: made.jwt })).status).toBe(200);
      } finally {
        await again.close();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
