import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, fresh, startSecured, type SecuredServer } from './securedServer.js';

const ROUNDS = 8;
const NOW = flatRole({ server: ['now'] });

/** Calls at the same moment, whose outcome must be as if one had come after the other. */
describe('changes of accounts at the same moment', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    server = await startSecured();
  });
  afterAll(() => server.close());

  const status = async (path: string) => (await server.http('GET', path)).status;

  it('leave no profile whose role is gone', async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const [roleId, profileId, other] = [fresh('role'), fresh('profile'), fresh('profile')];
      await server.result('POST', `/roles/${roleId}/_create`, { body: NOW });
      await server.result('POST', `/profiles/${other}/_create`, {
        body: { policies: [{ roleId: 'default' }] },
      });
      const body = { policies: [{ roleId }] };
      const replies = await Promise.all([
        server.http('POST', `/profiles/${profileId}/_create`, { body }),
        server.http('DELETE', `/roles/${roleId}`),
        server.http('POST', `/profiles/${other}`, { body }),
        server.http('PUT', `/profiles/${fresh('profile')}`, { body }),
      ]);
      for (const reply of replies) expect([200, 400, 412]).toContain(reply.status);
      const taken = [replies[0], replies[2], replies[3]].some((reply) => reply?.status === 200);
      expect(await status(`/roles/${roleId}`)).toBe(taken ? 200 : 404);
    }
  });

  it('leave no user whose profile is gone', async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const [profileId, other] = [fresh('profile'), fresh('user')];
      await server.result('POST', `/profiles/${profileId}/_create`, {
        body: { policies: [{ roleId: 'default' }] },
      });
      const password = 'a-Password-of-mine';
      await server.result('POST', `/users/${other}/_create`, {
        body: { profileIds: ['default'], password },
      });
      const replies = await Promise.all([
        server.http('POST', `/users/${fresh('user')}/_create`, {
          body: { profileIds: [profileId], password },
        }),
        server.http('DELETE', `/_profiles/${profileId}`),
        server.http('POST', `/users/${other}`, { body: { profileIds: [profileId] } }),
      ]);
      for (const reply of replies) expect([200, 400, 412]).toContain(reply.status);
      const taken = replies[0]?.status === 200 || replies[2]?.status === 200;
      expect(await status(`/_profiles/${profileId}`)).toBe(taken ? 200 : 404);
    }
  });

  it('lose no property of a user and count every version', async () => {
    const user = await server.account(NOW);
    const change = (i: number) => server.http('POST', `/users/${user.id}`, { body: { [`p${i}`]: i } });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => change(i)));
    expect(replies.map((reply) => reply.status)).toEqual(Array<number>(20).fill(200));
    const { _source } = await server.result('GET', `/users/${user.id}`);
    for (let i = 0; i < 20; i++) expect(_source).toHaveProperty(`p${i}`, i);
    const versions = replies.map(({ result }) => Number(result._version)).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
  });

  it('leave one password, the one of the last change, and no token of before', async () => {
    const user = await server.account(NOW);
    const passwords = Array.from({ length: 6 }, (_, i) => `a-new-Password-${i}`);
    await Promise.all(passwords.map((password) => server.result('POST', `/users/${user.id}`, { body: { password } })));
    const logins = await Promise.all(passwords.map((password) => server.login(user.id, password)));
    expect(logins.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect((await server.login(user.id, user.password)).status).toBe(401);
    expect(await server.tokenState(user.jwt)).toMatchObject({ valid: false });
  });

  it('give a user that is deleted and created again at once one life or none', async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const user = await server.account(NOW);
      const body: JsonObject = { profileIds: ['default'], password: 'a-new-Password' };
      const [, made] = await Promise.all([
        server.http('DELETE', `/users/${user.id}`),
        server.http('POST', `/users/${user.id}/_create`, { body }),
      ]);
      expect(await server.tokenState(user.jwt)).toEqual({ valid: false, state: 'revoked' });
      expect((await server.login(user.id, user.password)).status).toBe(401);
      const entered = await server.login(user.id, 'a-new-Password');
      expect(entered.status).toBe(made.status === 200 ? 200 : 401);
    }
  });

  it('let a role that is taken away count for no request that began afterwards', async () => {
    const user = await server.account(NOW);
    for (let i = 0; i < ROUNDS; i++) {
      await server.result('PUT', `/roles/${user.roleId}`, { body: NOW });
      // Requests under way may read the old role; none of them may bring it back into memory.
      const beside = Array.from({ length: 20 }, () => server.http('GET', '/_now', { jwt: user.jwt }));
      await server.result('PUT', `/roles/${user.roleId}`, { body: flatRole({ server: ['info'] }) });
      expect((await server.http('GET', '/_now', { jwt: user.jwt })).status).toBe(403);
      await Promise.all(beside);
      expect((await server.http('GET', '/_now', { jwt: user.jwt })).status).toBe(403);
    }
  });
});
