import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Lifetime, Redirect, type AuthStrategy } from '@millrace/kernel';
import {
  openTestEngine,
  openTestSecurity,
  PASSWORD,
  testStrategy,
  type TestEngine,
  type TestSecurity,
  type TestSecurityOptions,
} from '../openTestSecurity.test.support.js';

let shared: TestEngine;
let count = 0;
const opened: TestSecurity[] = [];

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
afterEach(async () => {
  for (const security of opened.splice(0)) await security.close();
});

async function open(options: TestSecurityOptions = {}): Promise<TestSecurity> {
  const index = `%test${++count}`;
  const security = await openTestSecurity({ engine: shared.engine, index, ...options });
  opened.push(security);
  await security.admin();
  return security;
}

const attempt = (password: string, username = 'root') => ({ body: { username, password } });

describe('login: limits (SEC-62)', () => {
  it('refuses the 11th failure of an account from an address for 15 minutes, right password or not', async () => {
    const security = await open();
    const from = (address: string) => ({ address });
    for (let i = 0; i < 10; i++) {
      await security.result('auth.login', attempt(PASSWORD), from('192.0.2.7'));
      const { status } = await security.send('auth.login', attempt('wrong'), from('192.0.2.7'));
      expect(status).toBe(401);
    }
    for (const password of ['wrong', PASSWORD]) {
      const { error } = await security.send('auth.login', attempt(password), from('192.0.2.7'));
      expect(error).toMatchObject({ id: 'auth.too_many_attempts', status: 429 });
    }
    const other = attempt('wrong', 'somebody');
    expect((await security.send('auth.login', other, from('192.0.2.7'))).status).toBe(401);
    await security.result('auth.login', attempt(PASSWORD), from('192.0.2.8'));
    security.time.nowMs += 900_000;
    await security.result('auth.login', attempt(PASSWORD), from('192.0.2.7'));
  });

  it('are not passed by many attempts at once, nor by fields of the message', async () => {
    const security = await open();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const fields = {
          ...attempt(`wrong ${i}`),
          headers: { 'x-forwarded-for': `198.51.100.${i}` },
          _id: `x${i}`,
        };
        return security.send('auth.login', fields);
      }),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(90);
  });

  it('hold for one address over all accounts', async () => {
    const security = await open();
    for (let i = 0; i < 200; i++) {
      expect((await security.send('auth.login', attempt('wrong', `user-${i}`))).status).toBe(401);
    }
    expect((await security.send('auth.login', attempt('wrong', 'another'))).status).toBe(429);
    expect((await security.send('auth.login', attempt(PASSWORD))).status).toBe(429);
  });

  it('hold for sign-ups without a token, by address', async () => {
    const signUp = { maxPerAddress: 3, windowMs: 3_600_000 };
    const security = await open({ config: { signUp } });
    const create = (sender: object) =>
      security.send('security.createRestrictedUser', { body: { password: PASSWORD } }, sender);
    for (let i = 0; i < 3; i++) expect((await create({})).status).toBe(200);
    expect((await create({})).error?.id).toBe('auth.too_many_sign_ups');
    expect((await create({ address: '192.0.2.9' })).status).toBe(200);
    security.time.nowMs += 3_600_000;
    expect((await create({})).status).toBe(200);
  });
});

describe('login: who gets in', () => {
  it('answers an unknown user as it answers a wrong password (SEC-60)', async () => {
    const security = await open();
    const answers = [
      await security.send('auth.login', attempt('wrong')),
      await security.send('auth.login', attempt(PASSWORD, 'nobody')),
      await security.send('auth.login', attempt(PASSWORD, '-1')),
      await security.send('auth.login', attempt(PASSWORD, '__proto__')),
      await security.send('auth.login', attempt(PASSWORD, 'x'.repeat(10_000))),
    ];
    for (const { status, error, result } of answers) {
      expect({ status, error, result }).toEqual({
        status: 401,
        error: { id: 'auth.wrong_credentials', status: 401, message: 'Wrong credentials' },
        result: null,
      });
    }
  });

  it('refuses who was checked against credentials that changed meanwhile', async () => {
    let checked: () => void = () => undefined;
    let go: () => void = () => undefined;
    const isChecked = new Promise<void>((resolve) => (checked = resolve));
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    const slow: AuthStrategy = {
      ...testStrategy,
      verify: async (parameters, each) => {
        const outcome = (await testStrategy.verify?.(parameters, each)) ?? null;
        if (parameters['password'] === PASSWORD && parameters['slow'] === true) {
          checked();
          await mayGo;
        }
        return outcome;
      },
    };
    const config = {
      login: { maxFailuresPerAccount: 10, maxFailuresPerAddress: 200, windowMs: 900_000, strategyTimeoutMs: 5_000 },
    };
    const security = await open({ strategies: [slow], config });
    const jwt = await security.login('root');
    const login = security.send('auth.login', { body: { ...attempt(PASSWORD).body, slow: true } });
    await isChecked;
    await security.result('auth.updateSelf', { body: { password: 'another-Password-8' } }, { jwt });
    go();
    expect((await login).error?.id).toBe('auth.wrong_credentials');
    await security.login('root', 'another-Password-8');
  });

  it('does not know a user whom only the strategy knows', async () => {
    const strategy: AuthStrategy = { name: 'other', verify: async () => ({ userId: 'stranger' }) };
    const security = await open({ strategies: [testStrategy, strategy] });
    const asked = { body: { strategy: 'other' } };
    expect(await security.refusal('auth.login', asked)).toBe('401 auth.wrong_credentials');
  });

  it('keeps credentials of users and of strategies apart', async () => {
    const seen: unknown[] = [];
    const spy: AuthStrategy = {
      name: 'spy',
      verify: async (_, { users }) => {
        seen.push(await users.credentialsOf('root'), await users.credentialsOf('nobody'));
        return null;
      },
    };
    const security = await open({ strategies: [testStrategy, spy] });
    expect((await security.send('auth.login', { body: { strategy: 'spy' } })).status).toBe(401);
    expect(seen).toEqual([null, null]);
  });

  it('lets a strategy make the stored form of a password stronger, without ending sessions', async () => {
    const upgrading: AuthStrategy = {
      ...testStrategy,
      verify: async (parameters, each) => {
        const { username, password } = parameters;
        if (typeof username !== 'string' || typeof password !== 'string') return null;
        const stored = await each.users.credentialsOf(username);
        if (stored?.['hash'] === `stronger:${password}`) return { userId: username };
        if (stored?.['hash'] !== `hashed:${password}`) return null;
        await each.users.upgradeCredentials(username, { hash: `stronger:${password}` });
        return { userId: username };
      },
    };
    const security = await open({ strategies: [upgrading] });
    const jwt = await security.login('root');
    await security.login('root');
    const { result } = await security.send('auth.checkToken', { body: { token: jwt } });
    expect(result).toMatchObject({ valid: true });
  });
});

describe('login: what strategies get and give', () => {
  it('signals to them, at logins and for new credentials, that the client has left', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const spy: AuthStrategy = {
      ...testStrategy,
      verify: (parameters, each) => {
        signals.push(each.request.signal);
        return testStrategy.verify?.(parameters, each) ?? null;
      },
      credentials: {
        userProperty: 'password',
        prepare: (given, user, signal) => {
          signals.push(signal);
          return testStrategy.credentials?.prepare(given, user) ?? {};
        },
        matches: (given, stored, signal) => {
          signals.push(signal);
          return testStrategy.credentials?.matches?.(given, stored) ?? false;
        },
      },
    };
    const security = await open({ strategies: [spy] });
    const jwt = await security.login('root');
    signals.length = 0;
    const lifetime = new Lifetime();
    lifetime.close();
    await security.result('auth.login', attempt(PASSWORD), { lifetime });
    const body = { password: 'another-Password-8', currentPassword: PASSWORD };
    await security.result('auth.updateSelf', { body }, { jwt, lifetime });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });

  const echo: AuthStrategy = {
    name: 'echo',
    passport: {
      authenticate(this: { redirect(url: string): void }, request: never) {
        const { query, body } = request as { query: object; body: object };
        this.redirect(`https://provider.example/#${JSON.stringify({ query, body })}`);
      },
    },
  };

  /** Leaves for a provider, and is back with `who`; the state is the parameter `kept`. */
  const provider: AuthStrategy = {
    name: 'provider',
    redirects: true,
    verify: ({ kept, who }, { returning, resume }) => {
      if (kept === undefined) return new Redirect('https://provider.example/', { kept: returning ?? null });
      resume?.(kept);
      return typeof who === 'string' ? { userId: who } : null;
    },
  };
  const verifier = 'v'.repeat(43);
  const returnChallenge = createHash('sha256').update(verifier).digest('base64url');

  /** @returns the fragment of the page */
  async function comeBack(security: TestSecurity, who: string | null): Promise<string> {
    const begun = { strategy: 'provider', returnTo: '/app/', returnChallenge };
    const { kept } = await security.result('auth.login', begun);
    const { result, status } = await security.send('auth.login', { body: { strategy: 'provider', kept, who } });
    const { headers } = result as { readonly headers: { readonly Location: string } };
    expect([status, headers.Location.split('#')[0]]).toEqual([302, '/app/']);
    return headers.Location.split('#')[1] ?? '';
  }
  const exchange = (returnTicket: string, returnVerifier = verifier, strategy = 'provider') => ({
    body: { strategy, returnTicket, returnVerifier },
  });

  it('end at the page that began them, whose verifier alone makes a token of the ticket, once', async () => {
    const other = { ...provider, name: 'other' };
    const security = await open({ strategies: [testStrategy, provider, other] });
    const ticket = (await comeBack(security, 'root')).replace('returnTicket=', '');
    const wrong = '401 auth.wrong_credentials';
    expect(await security.refusal('auth.login', exchange(ticket, 'x'.repeat(43)))).toBe(wrong);
    expect(await security.refusal('auth.login', exchange(ticket, verifier, 'other'))).toBe(wrong);
    expect(await security.refusal('auth.login', exchange('x'.repeat(200)))).toBe(wrong);
    const { _id, jwt } = await security.result('auth.login', exchange(ticket));
    expect(_id).toBe('root');
    expect(await security.result('auth.checkToken', { token: jwt })).toMatchObject({ valid: true });
    expect(await security.refusal('auth.login', exchange(ticket))).toBe(wrong);
  });

  it('have a ticket for a minute, not for a user whose credentials have changed since, and not in an address', async () => {
    const security = await open({ strategies: [testStrategy, provider] });
    const ticketOf = async () => (await comeBack(security, 'root')).replace('returnTicket=', '');
    const late = await ticketOf();
    security.time.nowMs += 60_000;
    expect(await security.refusal('auth.login', exchange(late))).toBe('401 auth.wrong_credentials');
    const shown = { strategy: 'provider', returnTicket: await ticketOf(), returnVerifier: verifier };
    expect((await security.send('auth.login', shown, { protocol: 'http' })).status).toBe(302);
    const before = await ticketOf();
    const jwt = await security.login('root');
    await security.result('security.revokeTokens', { _id: 'root' }, { jwt });
    expect(await security.refusal('auth.login', exchange(before))).toBe('401 auth.wrong_credentials');
  });

  it('explain at that page why they failed, and are counted as failures', async () => {
    const security = await open({ strategies: [testStrategy, provider] });
    expect(await comeBack(security, 'no-such-user')).toBe('returnError=auth.wrong_credentials');
    for (let i = 0; i < 200; i++) await security.send('auth.login', { body: { strategy: 'provider', kept: {} } });
    expect(await security.refusal('auth.login', { strategy: 'provider' })).toBe('429 auth.too_many_attempts');
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/a?b',
    '/a#b',
    '',
    `/${'x'.repeat(1_024)}`,
  ])('end at no other place: %s', async (returnTo) => {
    const security = await open({ strategies: [testStrategy, provider] });
    const begun = { strategy: 'provider', returnTo, returnChallenge };
    expect(await security.refusal('auth.login', begun)).toBe('400 api.invalid_argument');
    const plain = { strategy: 'provider', returnTo: '/app/', returnChallenge: verifier.slice(1) };
    expect(await security.refusal('auth.login', plain)).toBe('400 api.invalid_argument');
  });

  it('lists those that redirect, and the others', async () => {
    const security = await open({ strategies: [testStrategy, provider] });
    const list = async (kind: string) => (await security.send('auth.getStrategies', { kind })).result;
    expect([await list('redirect'), await list('credentials')]).toEqual([['provider'], ['local']]);
  });

  it('lists their names', async () => {
    const security = await open({ strategies: [testStrategy, echo] });
    expect((await security.send('auth.getStrategies')).result).toEqual(['echo', 'local']);
    const unknown = { body: { strategy: 'constructor' } };
    expect(await security.refusal('auth.login', unknown)).toBe('400 auth.unknown_strategy');
  });

  it('hands them the body, over HTTP the query string too, and answers a redirection as 302', async () => {
    const security = await open({ strategies: [testStrategy, echo] });
    const location = async (fields: object, protocol: string) => {
      const { status, result, error } = await security.send('auth.login', { ...fields }, { protocol });
      const { headers } = result as { headers: { Location: string } };
      return [status, error, headers.Location.split('#')[1]];
    };
    const query = { strategy: 'echo', code: 'abc', expiresIn: '1h', requestId: 'r' };
    expect(await location(query, 'http')).toEqual([302, null, '{"query":{"code":"abc"},"body":{}}']);
    expect(await location({ ...query, body: { code: 'x' } }, 'http')).toEqual([
      302,
      null,
      '{"query":{},"body":{"code":"x"}}',
    ]);
    expect(await location({ ...query, body: { code: 'x', strategy: 'local' } }, 'websocket')).toEqual([
      302,
      null,
      '{"query":{},"body":{"code":"x"}}',
    ]);
  });
});
