import { describe, expect, it } from 'vitest';
import {
  loadConfig,
  silentLogger,
  type AuthStrategy,
  type JsonObject,
  type LoginAttempt,
  type PluginHost,
  type Request,
} from '@millrace/kernel';
import type { LocalAuthOptions } from './config.js';
import { localAuth } from './localAuth.js';

/** The outcome of one attempt, as a runner of passport strategies would see it. */
type Outcome =
  | { readonly success: unknown }
  | { readonly fail: unknown }
  | { readonly error: { readonly id?: string; readonly message: string } };

/** The strategy registered by the plugin, with its users. */
async function install(options: LocalAuthOptions = {}) {
  const kept = new Map<string, JsonObject>();
  const lookups: string[] = [];
  const users: LoginAttempt['users'] = {
    credentialsOf: (userId) => {
      lookups.push(userId);
      return kept.get(userId) ?? null;
    },
    upgradeCredentials: async (userId, stored) => void kept.set(userId, stored),
  };
  const plugin = localAuth(options);
  const config = loadConfig({ ...plugin.config } as never, {
    file: { name: 'test', values: {} },
    environment: {},
    flags: {},
  });
  let strategy: AuthStrategy | undefined;
  const host = {
    config: config.values,
    log: silentLogger,
    strategy: (registered: AuthStrategy) => {
      strategy = registered;
    },
  } as Partial<PluginHost> as PluginHost;
  await plugin.setup(host);
  if (strategy === undefined) throw new Error('the plugin registered no strategy');
  const { credentials, passport, accountOf } = strategy;
  if (credentials === undefined || typeof passport !== 'function') throw new Error('incomplete strategy');
  const created = await passport();

  /** As in the passport library, the outcomes are methods of an object created for this request. */
  const login = (body: JsonObject, query: JsonObject = {}): Promise<Outcome> => {
    const parameters = { ...query, ...body };
    const request = { body } as Partial<Request> as Request;
    const sent = { method: 'POST', url: '/_login', headers: {}, query, body };
    return new Promise((resolve) => {
      const running = Object.assign(Object.create(created) as object, {
        success: (user: unknown) => resolve({ success: user }),
        fail: (challenge: unknown) => resolve({ fail: challenge }),
        error: (error: { readonly message: string }) => resolve({ error }),
      });
      created.authenticate.call(running, {
        ...sent,
        attempt: { parameters, request, users },
      } as never);
    });
  };
  const prepare = async (given: JsonObject, _id = 'ada') => credentials.prepare(given, { _id });
  return { strategy, kept, lookups, login, prepare, accountOf };
}

describe('auth-local', () => {
  it('registers the strategy local, whose credentials come with a user as password', async () => {
    const { strategy } = await install();
    expect(strategy.name).toBe('local');
    expect(strategy.credentials?.userProperty).toBe('password');
  });

  it('keeps a password as argon2id text with its parameters, with a new salt each time', async () => {
    const { prepare } = await install();
    const [one, two] = [await prepare({ password: 'a-Password' }), await prepare({ password: 'a-Password' })];
    expect(Object.keys(one)).toEqual(['hash']);
    expect(one['hash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one['hash']).not.toBe(two['hash']);
  });

  it('names the user for the right password, and no user for anything else', async () => {
    const { kept, login, prepare } = await install();
    kept.set('ada', await prepare({ password: 'Lovelace 1815' }));
    expect(await login({ username: 'ada', password: 'Lovelace 1815' })).toEqual({
      success: { userId: 'ada' },
    });
    for (const password of [
      'lovelace 1815',
      ' Lovelace 1815',
      'Lovelace 1815 ',
      'Lovelace 181',
      'Lovelace 1815\u0000',
      'x',
    ]) {
      expect(await login({ username: 'ada', password }), password).toEqual({ fail: undefined });
    }
    for (const username of ['Ada', 'ada ', 'bob', '__proto__', 'x'.repeat(100_000)]) {
      expect(await login({ username, password: 'Lovelace 1815' }), username).toEqual({
        fail: undefined,
      });
    }
  });

  it('takes one spelling of Unicode for the other (RFC 8265 section 4.2.2)', async () => {
    const { kept, login, prepare } = await install();
    kept.set('ada', await prepare({ password: 'cr\u00e8me\u00a0br\u00fbl\u00e9e' }));
    expect(await login({ username: 'ada', password: 'cre\u0300me bru\u0302le\u0301e' })).toEqual({
      success: { userId: 'ada' },
    });
    expect(await login({ username: 'ada', password: 'creme brulee' })).toEqual({ fail: undefined });
    // Compatibility forms aren't normalised: width is significant.
    expect(await login({ username: 'ada', password: '\uff43r\u00e8me br\u00fbl\u00e9e' })).toEqual({
      fail: undefined,
    });
  });

  it.each<[string, JsonObject, string]>([
    ['nothing', {}, 'username'],
    ['no password', { username: 'ada' }, 'password'],
    ['no username', { password: 'a-Password' }, 'username'],
    ['an empty username', { username: '', password: 'a-Password' }, 'username'],
    ['an empty password', { username: 'ada', password: '' }, 'password'],
    ['null', { username: 'ada', password: null }, 'password'],
    ['a number', { username: 1, password: 'a-Password' }, 'username'],
    ['a list', { username: 'ada', password: ['a-Password'] }, 'password'],
    ['an operator', { username: { $ne: null }, password: 'a-Password' }, 'username'],
    ['a boolean', { username: 'ada', password: true }, 'password'],
    ['a lone surrogate', { username: 'ada', password: 'a-Password\ud800' }, 'password'],
    ['a password of 1,025 bytes', { username: 'ada', password: 'p'.repeat(1_025) }, 'password'],
    ['a password of 900 KB', { username: 'ada', password: '\u00e9'.repeat(450_000) }, 'password'],
  ])('refuses %s by the name of the field, before any hash is made', async (_, body, field) => {
    const { login, lookups } = await install();
    const outcome = await login(body);
    expect(outcome).toMatchObject({ error: { id: 'auth.credentials_malformed', status: 400 } });
    const { message } = (outcome as { error: Error }).error;
    expect(message.startsWith(`${field}: `)).toBe(true);
    expect(message).not.toContain('a-Password');
    expect(lookups).toEqual([]);
  });

  it('refuses a password in the address', async () => {
    const { kept, login, prepare } = await install();
    kept.set('ada', await prepare({ password: 'a-Password' }));
    expect(await login({ username: 'ada' }, { password: 'a-Password' })).toMatchObject({
      error: { message: 'password: expected in the body, not in the address' },
    });
    expect(await login({ password: 'a-Password' }, { username: 'ada' })).toEqual({
      success: { userId: 'ada' },
    });
  });

  it.each<[string, JsonObject, RegExp]>([
    ['a short one', { password: '1234567' }, /at least 8 characters/],
    [
      'four characters of two units each',
      { password: '\u{1f600}\u{1f600}\u{1f600}\u{1f600}' },
      /at least 8 characters/,
    ],
    ['a long one', { password: 'p'.repeat(1_025) }, /at most 1024 bytes/],
    ['a long one in bytes alone', { password: '\u00e9'.repeat(513) }, /at most 1024 bytes/],
    ['the user name', { password: 'ADA-lovelace' }, /identifier/],
    ['a number', { password: 12345678 }, /expected a string, got a number/],
    ['none', {}, /missing/],
    ['one of a prototype', Object.create({ password: 'a-Password' }) as JsonObject, /missing/],
  ])('refuses as a new password %s', async (_, given, problem) => {
    const { prepare } = await install();
    const refused = prepare(given, 'ada-LOVELACE');
    await expect(refused).rejects.toMatchObject({ status: 400 });
    await expect(refused).rejects.toThrow(problem);
  });

  it('takes a password at both ends of the rules', async () => {
    const { kept, login, prepare } = await install();
    for (const password of ['\u{1f600}'.repeat(8), 'p'.repeat(1_024)]) {
      kept.set('ada', await prepare({ password }));
      expect(await login({ username: 'ada', password })).toEqual({ success: { userId: 'ada' } });
    }
  });

  it('follows other rules where the program or the configuration sets them', async () => {
    const { prepare } = await install({ password: { minLength: 3, forbidUsername: false } });
    expect(await prepare({ password: 'ada' }, 'ada')).toHaveProperty('hash');
    await expect(prepare({ password: 'ad' }, 'ada')).rejects.toThrow(/at least 3/);
    await expect(install({ argon2id: { memoryKib: 8 } })).rejects.toThrow(/local\.argon2id\.memoryKib/);
    expect(() => localAuth({ password: { mimLength: 3 } as never })).toThrow(/mimLength/);
  });

  it('keeps passwords by scrypt where it is configured, and logs in those who have argon2id', async () => {
    const before = await install();
    const { kept, login } = await install({ algorithm: 'scrypt' });
    kept.set('ada', await before.prepare({ password: 'a-Password' }));
    expect(await login({ username: 'ada', password: 'wrong-one' })).toEqual({ fail: undefined });
    expect(kept.get('ada')?.['hash']).toMatch(/^\$argon2id/);
    expect(await login({ username: 'ada', password: 'a-Password' })).toEqual({
      success: { userId: 'ada' },
    });
    expect(kept.get('ada')?.['hash']).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(await login({ username: 'ada', password: 'a-Password' })).toEqual({
      success: { userId: 'ada' },
    });
  });

  it('counts attempts by the user name alone, and by none where it can be no user', async () => {
    const { accountOf } = await install();
    expect(accountOf?.({ username: 'ada', password: 'x' })).toBe('ada');
    for (const username of [undefined, null, 5, '', ['ada'], 'x'.repeat(513)]) {
      expect(accountOf?.({ username } as JsonObject)).toBeNull();
    }
  });
});

describe('auth-local: passwords that attackers try first', () => {
  it.each(['password', 'PassWord1', '12345678', 'iloveyou', 'Qwertyuiop'])('refuses %j', async (password) => {
    const { prepare } = await install();
    const refused = prepare({ password });
    await expect(refused).rejects.toMatchObject({ id: 'auth.password_refused', status: 400 });
    await expect(refused).rejects.toThrow('one of the most common passwords');
  });

  it('takes a phrase that contains one', async () => {
    const { prepare } = await install();
    expect(await prepare({ password: 'my password of spring' })).toHaveProperty('hash');
  });
});

describe('auth-local: what is kept', () => {
  it('is compared with a given password, and nothing else belongs to it', async () => {
    const { strategy, prepare } = await install();
    const stored = await prepare({ password: 'correct horse battery' });
    const matches = async (password: string, kept = stored) => strategy.credentials?.matches?.({ password }, kept);
    expect(await matches('correct horse battery')).toBe(true);
    for (const wrong of ['correct horse', 'x'.repeat(2_000)]) expect(await matches(wrong)).toBe(false);
    expect(await matches('a password that no user has', {})).toBe(false);
    await expect(matches('')).rejects.toMatchObject({ status: 400 });
  });

  it('is not made nor compared for a client that has left', async () => {
    const { strategy, prepare } = await install();
    const stored = await prepare({ password: 'correct horse battery' });
    const left = AbortSignal.abort();
    const given = { password: 'correct horse battery' };
    const { credentials } = strategy;
    await expect(credentials?.prepare(given, { _id: 'ada' }, left)).rejects.toThrow();
    await expect(credentials?.matches?.(given, stored, left)).rejects.toThrow();
  });
});
