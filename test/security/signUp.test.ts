import { afterEach, describe, expect, it } from 'vitest';
import { callHttp, flatRole, fresh, startSecured, type SecuredServer } from './securedServer.js';

const PASSWORD = 'a-Password-of-mine';

describe('signing up without a token (SEC-44)', () => {
  let server: SecuredServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const signUp = (open: SecuredServer, i: number, jwt: string | null = null) =>
    callHttp(open.started.url, 'POST', `/users/${fresh('visitor')}/_createRestricted`, {
      jwt,
      body: { password: PASSWORD, i },
      headers: { 'x-forwarded-for': `10.0.0.${i}`, forwarded: `for=10.0.0.${i}` },
    });

  it('is limited for an address, whatever headers say, and not for those with a token', async () => {
    server = await startSecured({ security: { signUp: { maxPerAddress: 3 } } });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await signUp(server, i)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const made = await server.account(flatRole({ security: ['createRestrictedUser'] }));
    expect((await signUp(server, 9, made.jwt)).status).toBe(200);
    expect((await signUp(server, 10)).status).toBe(429);
  });

  it('is limited also when all come at once', async () => {
    server = await startSecured({ security: { signUp: { maxPerAddress: 3 } } });
    const open = server;
    const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => signUp(open, i)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(9);
  });

  it('can be switched off', async () => {
    server = await startSecured({ security: { openSignUp: false } });
    expect((await signUp(server, 0)).status).toBe(401);
    expect((await signUp(server, 0, server.adminJwt)).status).toBe(200);
  });

  it('gives the profiles of the configuration and no others', async () => {
    server = await startSecured({ security: { restrictedProfileIds: ['default', 'anonymous'] } });
    const { result } = await signUp(server, 0);
    expect(result._source).toMatchObject({ profileIds: ['default', 'anonymous'] });
  });
});
