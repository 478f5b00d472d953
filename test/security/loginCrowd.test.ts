import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flatRole, startSecured, type SecuredServer } from './securedServer.js';

const CROWD = 160;

/** Hashing takes tens of milliseconds each, a few at a time: logins wait, and other requests don't. */
describe('a crowd that logs in', () => {
  let server: SecuredServer;
  beforeAll(async () => {
    const many = {
      maxFailuresPerAccount: 100_000,
      maxFailuresPerAddress: 100_000,
      burst: 100_000,
    };
    server = await startSecured({ security: { login: many } });
  });
  afterAll(() => server.close());

  it.each(['with right passwords', 'with wrong passwords'])(
    'keeps no other request waiting: %s',
    async (kind) => {
      const { id, password } = await server.account(flatRole({ server: ['now'] }));
      let answeredCount = 0;
      const sent = kind === 'with right passwords' ? password : 'a-wrong-Password';
      const logins = Array.from({ length: CROWD }, async () => {
        const { status } = await server.login(id, sent);
        answeredCount += 1;
        return status;
      });
      for (let i = 0; i < 5; i++) {
        const { status } = await server.http('GET', '/_now');
        expect([status, answeredCount < CROWD / 2]).toEqual([200, true]);
      }
      const wanted = kind === 'with right passwords' ? 200 : 401;
      expect(new Set(await Promise.all(logins))).toEqual(new Set([wanted]));
    },
    60_000,
  );
});
