import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { callHttp, flatRole, fresh, startSecured, type Account, type SecuredServer } from './securedServer.js';

const ODD: readonly [string, JsonValue][] = [
  ['null', null], ['true', true], ['false', false], ['0', 0], ['1', 1], ['-1', -1], ['1e308', 1e308], ['an empty text', ''],
  ['a blank', ' '], ['a list', ['x']], ['an empty list', []], ['a nested list', [['x']]], ['an object', { a: 1 }],
  ['an empty object', {}], ['an operator', { $ne: null }], ['a regular expression', { $regex: '.*' }], ['a NUL', '\u0000'],
  ['a lone surrogate', '\ud800'], ['SQL', "' OR '1'='1' --"], ['a wildcard', '*'], ['__proto__', '__proto__'],
  ['an object of a prototype', JSON.parse('{"__proto__": {"length": 5}}') as JsonValue], ['900 KB', 'x'.repeat(900_000)],
  ['300 KB beyond Latin', '\u{1f600}'.repeat(75_000)], ['ten thousand accents', `e${'\u0301'.repeat(10_000)}`],
]; // prettier-ignore

const STRATEGIES: readonly JsonValue[] = [
  'none', 'LOCAL', 'Local', ' local', 'local ', 'local\u0000', '', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  '../local', 'session', 'jwt', 'oauth2', '*', 'local,none', ['local'], { name: 'local' }, 5, true,
]; // prettier-ignore

describe('login with odd values (SEC-60)', () => {
  let server: SecuredServer;
  let user: Account;
  beforeAll(async () => {
    const many = { maxFailuresPerAccount: 100_000, maxFailuresPerAddress: 100_000 };
    server = await startSecured({ security: { login: many } });
    user = await server.account(flatRole({ server: ['now'] }));
  });
  afterAll(() => server.close());

  it.each(ODD)('%s lets no client in, in any field', async (_, value) => {
    const right = { username: user.id, password: user.password };
    for (const body of [
      { ...right, username: value },
      { ...right, password: value },
      { username: value, password: value },
      { ...right, expiresIn: value },
    ] as JsonObject[]) {
      const reply = await server.http('POST', '/_login', { jwt: null, body });
      // expiresIn null is absent, 1 a second: the only ones that are right.
      const isFine = body.username === user.id && body.password === user.password && (value === null || value === 1);
      expect([reply.status === 200, reply.status >= 400 && reply.status < 500]).toEqual([isFine, !isFine]);
      expect(reply.status).not.toBe(403);
      expect(reply.text).not.toContain(user.password);
      expect(reply.text.length).toBeLessThan(5_000);
    }
  });

  it.each(STRATEGIES.map((strategy) => [JSON.stringify(strategy), strategy] as const))(
    'the strategy %s is refused',
    async (_, strategy) => {
      const body = { username: user.id, password: user.password, strategy };
      expect((await server.http('POST', '/_login', { jwt: null, body })).status).toBe(400);
      if (typeof strategy !== 'string' || strategy === '') return;
      const path = `/_login/${encodeURIComponent(strategy)}`;
      for (const method of ['GET', 'POST']) {
        const { status } = await server.http(method, path, {
          jwt: null,
          ...(method === 'GET' ? {} : { body }),
        });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
      }
    },
  );

  it('says the same to an unknown user and a wrong password, of any form', async () => {
    const wrong = await server.login(user.id, 'wrong-Password-1');
    expect(wrong.status).toBe(401);
    const names = [
      fresh('nobody'),
      '-1',
      '_x',
      'x'.repeat(600),
      'a\u0000b',
      user.id.toUpperCase(),
      ` ${user.id}`,
      '__proto__',
      'anonymous',
      '%',
      'a/b',
      '\u{1f600}',
    ];
    for (const name of names) {
      const unknown = await server.login(name, 'wrong-Password-1');
      expect([name, unknown.status, unknown.error]).toEqual([name, 401, wrong.error]);
    }
  });

  it('disregards a token that comes with it, and gives one that counts for its user alone', async () => {
    for (const jwt of ['nonsense', server.adminJwt]) {
      const body = { username: user.id, password: user.password };
      const reply = await server.http('POST', '/_login', { jwt, body });
      expect(reply.status).toBe(200);
      expect((await server.http('GET', '/_list', { jwt: reply.result.jwt as string })).status).toBe(403);
    }
  });
});

describe('guessing passwords (SEC-62)', () => {
  let server: SecuredServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const guess = (
    open: SecuredServer,
    id: string,
    i: number,
    more: JsonObject = {},
    headers: Record<string, string> = {},
  ) =>
    callHttp(open.started.url, 'POST', '/_login', {
      body: { username: id, password: `guess-${i}`, ...more },
      headers,
    });

  it('ends after 10 failures for the account, by whatever headers and fields', async () => {
    server = await startSecured();
    const [user, other] = [
      await server.account(flatRole({ server: ['now'] })),
      await server.account(flatRole({ server: ['now'] })),
    ];
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) {
      const headers = {
        'x-forwarded-for': `10.0.0.${i}`,
        'x-real-ip': `10.0.1.${i}`,
        forwarded: `for=10.0.2.${i}`,
        'user-agent': `a${i}`,
      };
      const more = {
        extra: i,
        _id: `x${i}`,
        address: `10.0.3.${i}`,
        strategy: i % 2 === 0 ? 'local' : null,
      };
      statuses.push((await guess(server, user.id, i, more, headers)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(4).fill(429)]);
    // The right password is no way round, other accounts are not locked out, and tokens go on working.
    expect((await server.login(user.id, user.password)).status).toBe(429);
    expect((await server.login(other.id, other.password)).status).toBe(200);
    expect((await server.http('GET', '/_now', { jwt: user.jwt })).status).toBe(200);
  });

  it('is answered with Retry-After of at most 15 minutes', async () => {
    server = await startSecured({ security: { login: { maxFailuresPerAccount: 2 } } });
    const { id } = await server.account(flatRole({ server: ['now'] }));
    for (let i = 0; i < 2; i++) await guess(server, id, i);
    const response = await fetch(`${server.started.url}/_login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: id, password: 'guess-3' }),
    });
    expect(response.status).toBe(429);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(900);
  });

  it('is stopped as surely when all guesses come at once', async () => {
    server = await startSecured();
    const open = server;
    const { id, password } = await open.account(flatRole({ server: ['now'] }));
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => guess(open, id, i)));
    const counts = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect(counts(401)).toBeLessThanOrEqual(12);
    expect(counts(401) + counts(429)).toBe(60);
    expect((await open.login(id, password)).status).toBe(429);
  });

  it('counts an unknown account as it counts one that exists', async () => {
    server = await startSecured();
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await guess(server, 'nobody-at-all', i)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('is not reset, nor made harder for others, by logins that succeed', async () => {
    server = await startSecured();
    const [user, own] = [
      await server.account(flatRole({ server: ['now'] })),
      await server.account(flatRole({ server: ['now'] })),
    ];
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      statuses.push((await guess(server, user.id, i)).status);
      expect((await server.login(own.id, own.password)).status).toBe(200);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('is limited for an address over all accounts', async () => {
    server = await startSecured({ security: { login: { maxFailuresPerAddress: 15 } } });
    const statuses: number[] = [];
    for (let i = 0; i < 18; i++) statuses.push((await guess(server, fresh('nobody'), i)).status);
    expect(statuses).toEqual([...Array<number>(15).fill(401), 429, 429, 429]);
  });
});
