import { describe, expect, it } from 'vitest';
import type { Logger } from '@millrace/kernel';
import { flatRole, fresh, startSecured } from './securedServer.js';
import { decodeToken } from './tokenForge.js';

/** Keeps every line, as pino would write it. */
function keepLines(lines: string[]): Logger {
  const keep = (fields: object, message: string) => {
    const plain = (_: string, value: unknown) =>
      value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value;
    lines.push(JSON.stringify({ ...fields, message }, plain));
  };
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  return logger;
}

describe('the log of what happens to accounts', () => {
  it('tells of logins, refusals and changes, and holds no password, hash or token', async () => {
    const lines: string[] = [];
    const server = await startSecured({}, { logger: keepLines(lines) });
    try {
      const user = await server.account(flatRole({ auth: ['*'] }));
      const [wrong, changed] = [fresh('wrong-Password'), fresh('changed-Password')];
      await server.login(user.id, wrong);
      await server.login('nobody', wrong);
      await server.login(wrong.repeat(80), wrong);
      await server.http('POST', '/_login', {
        jwt: null,
        body: { username: user.id, password: [wrong] },
      });
      await server.http('GET', '/_list', { jwt: user.jwt });
      await server.http('GET', '/_list', { jwt: `${user.jwt}x` });
      await server.http('POST', `/users/${fresh('u')}/_create`, {
        body: { profileIds: ['no-such'], password: wrong },
      });
      await server.http('POST', `/users/${user.id}/_create`, {
        body: { profileIds: ['default'], password: wrong },
      });
      await server.http('PUT', '/_updateSelf', { jwt: user.jwt, body: { password: changed } });
      const { result } = await server.http('POST', '/_refreshToken', { jwt: user.jwt });
      const refreshed = result.jwt as string;
      await server.http('GET', '/_logout', { jwt: refreshed });
      await server.http('DELETE', `/users/${user.id}`);

      const text = lines.join('\n');
      for (const token of [user.jwt, refreshed, server.adminJwt]) {
        const { signature, payload } = decodeToken(token);
        expect(text).not.toContain(signature);
        expect(text).not.toContain(payload.gen as string);
      }
      for (const secret of [user.password, wrong, changed]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/argon2id\$|\$scrypt/);

      const about = lines.filter((line) => line.includes(`"${user.id}"`));
      expect(about.length).toBeGreaterThanOrEqual(7);
      expect(lines.filter((line) => line.includes('wrong_credentials')).length).toBeGreaterThanOrEqual(2);
    } finally {
      await server.close();
    }
  });
});
