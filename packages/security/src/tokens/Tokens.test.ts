import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createRequest, HOOKS, isThenable, SECURITY, type Hooks } from '@millrace/kernel';
import { openTestSecurity, PASSWORD, type TestSecurity } from '../openTestSecurity.test.support.js';
import { SecurityCaches } from '../SecurityCaches.js';
import { Revocations } from './Revocations.js';
import { SigningKey } from './SigningKey.js';

const opened: TestSecurity[] = [];
async function open(options: Parameters<typeof openTestSecurity>[0] = {}): Promise<TestSecurity> {
  const security = await openTestSecurity(options);
  opened.push(security);
  return security;
}
afterEach(async () => {
  // Servers that share an engine are closed before its owner.
  for (const security of opened.splice(0).reverse()) await security.close();
});

const state = (security: TestSecurity, token: string) => security.result('auth.checkToken', { body: { token } });
const decode = (jwt: string) => {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { header: read(header), payload: read(payload), signature };
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forge = (header: object, payload: object, key: string | Buffer | null) => {
  const input = `${encode(header)}.${encode(payload)}`;
  const signature = key === null ? '' : createHmac('sha256', key).update(input).digest('base64url');
  return `${input}.${signature}`;
};

describe('tokens (SEC-52, SEC-53)', () => {
  it('carry sub, jti, iat, exp and gen, live for an hour by default and at most maxTTL', async () => {
    const security = await open();
    const { header, payload } = decode(await security.admin());
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(Object.keys(payload).sort()).toEqual(['auth_time', 'exp', 'gen', 'iat', 'jti', 'sub']);
    expect(payload).toMatchObject({ sub: 'root', iat: 1_700_000_000, exp: 1_700_003_600 });
    const login = (expiresIn: unknown) => ({
      body: { username: 'root', password: PASSWORD, expiresIn },
    });
    const { jwt } = await security.result('auth.login', login('30 days'));
    expect(decode(jwt as string).payload['exp']).toBe(1_702_592_000);
    for (const expiresIn of [0, '31 days', 2_592_001, 'soon', '', true, 1.5]) {
      expect(await security.refusal('auth.login', login(expiresIn))).toBe('400 api.invalid_argument');
    }
  });

  it('are judged malformed, invalid signature, expired, revoked, in this order', async () => {
    const security = await open();
    const jwt = await security.admin();
    expect(await state(security, jwt)).toEqual({ valid: true, expiresAt: 1_700_003_600_000 });
    for (const text of ['', 'abc', 'a.b', 'a.b.c', '....', 'é.é.é', `${jwt}.x`, 'e30.W10.e30', 'x'.repeat(100_000)]) {
      expect(await state(security, text)).toEqual({ valid: false, state: 'malformed' });
    }
    const { header, payload, signature } = decode(jwt);
    const later = `${encode(header)}.${encode({ ...payload, exp: 9e9 })}.${signature}`;
    expect(await state(security, later)).toEqual({ valid: false, state: 'invalid signature' });
    await security.result('auth.logout', {}, { jwt });
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
    security.time.nowMs += 3_600_000;
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'expired' });
    const { error } = await security.send('server.now', {}, { jwt });
    expect(error).toMatchObject({ id: 'auth.token_expired', message: 'Token expired' });
  });

  it('are refused with any other key, algorithm, or key named by the token itself', async () => {
    const security = await open();
    const { payload } = decode(await security.admin());
    const k = encode('attacker-key');
    const headers: readonly object[] = [
      { alg: 'none' },
      { alg: 'None' },
      { alg: '' },
      { alg: 'HS384' },
      { alg: 'RS256' },
      { alg: 'HS256', jwk: { kty: 'oct', k } },
      { alg: 'HS256', kid: '../../../dev/null' },
      { alg: 'HS256', jku: 'http://127.0.0.1:9/keys' },
      { alg: 'HS256', x5u: 'http://127.0.0.1:9/x' },
      { alg: 'HS256', crit: ['exp'], exp: 1 },
      { alg: 'HS256', b64: false, crit: ['b64'] },
      { alg: ['HS256'] },
      {},
    ];
    for (const header of headers) {
      for (const key of [null, '', 'attacker-key', 'secret', 'undefined', 'null']) {
        const jwt = forge(header, payload, key);
        expect(await state(security, jwt)).toEqual({ valid: false, state: 'invalid signature' });
        expect(await security.refusal('server.now', {}, { jwt })).toBe('401 auth.invalid_token');
      }
    }
  });

  it('rightly signed tokens with crit are refused all the same', async () => {
    const secret = 'a-secret-of-the-configuration-0123456789';
    const jwtConfig = {
      algorithm: 'HS256',
      secret,
      privateKey: '',
      publicKey: '',
      expiresIn: '1h',
      maxTTL: '30 days',
    } as const;
    const security = await open({ config: { jwt: jwtConfig } });
    const { header, payload } = decode(await security.admin());
    expect((await state(security, forge(header, payload, secret)))['valid']).toBe(true);
    const critical = forge({ ...header, crit: ['odd'], odd: 1 }, payload, secret);
    expect(await state(security, critical)).toEqual({ valid: false, state: 'invalid signature' });
    const { gen: _gen, ...incomplete } = payload;
    expect(await state(security, forge(header, incomplete, secret))).toEqual({
      valid: false,
      state: 'malformed',
    });
  });

  it('stay valid over a restart, and stay revoked', async () => {
    const first = await open();
    const [kept, revoked] = [await first.admin(), await first.login('root')];
    await first.result('auth.logout', {}, { jwt: revoked });
    const second = await open({ engine: first.engine, time: first.time });
    expect((await state(second, kept))['valid']).toBe(true);
    expect(await state(second, revoked)).toEqual({ valid: false, state: 'revoked' });
  });

  it('are signed with one key by two nodes that started on an empty store at once', async () => {
    const first = await open();
    const { engine } = first;
    await engine.deleteCollection({ index: '%test', collection: 'keys' });
    const keys = await Promise.all(
      [first, await open({ engine })].map(async ({ container }) => {
        const key = container.resolve(SigningKey);
        await key.load();
        return key.loaded;
      }),
    );
    const [one, two] = keys;
    const data = Buffer.from('the same');
    const signature = await crypto.subtle.sign('HMAC', one?.signWith as never, data);
    expect(await crypto.subtle.verify('HMAC', two?.verifyWith as never, signature, data)).toBe(true);
  });

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('can be signed by a generated %s pair', async (algorithm) => {
    const jwtConfig = { algorithm, secret: '', privateKey: '', publicKey: '', expiresIn: '1h', maxTTL: '30 days' };
    const first = await open({ config: { jwt: jwtConfig } });
    const jwt = await first.admin();
    expect(decode(jwt).header['alg']).toBe(algorithm);
    const second = await open({ engine: first.engine, time: first.time, config: { jwt: jwtConfig } });
    expect((await state(second, jwt))['valid']).toBe(true);
    // Algorithm confusion: the public key isn't secret, so it must not be accepted as an HMAC secret.
    const { payload } = decode(jwt);
    expect((await state(second, forge({ alg: 'HS256', typ: 'JWT' }, payload, 'public key')))['valid']).toBe(false);
  });

  it('are exchanged once: of many exchanges at once, one succeeds (SEC-54)', async () => {
    const security = await open();
    const jwt = await security.admin();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => security.send('auth.refreshToken', {}, { jwt })),
    );
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    expect(good[0]?.jwt).toBe(jwt);
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
    const { jwt: next } = good[0]?.result as { jwt: string };
    expect((await state(security, next))['valid']).toBe(true);
  });

  it('are exchanged 60 times a minute by one user, as each exchange is remembered', async () => {
    const security = await open();
    let jwt = await security.admin();
    for (let n = 0; n < 60; n++) {
      ({ jwt } = (await security.result('auth.refreshToken', {}, { jwt })) as { jwt: string });
    }
    const refused = await security.send('auth.refreshToken', {}, { jwt });
    expect(refused).toMatchObject({ status: 429, error: { id: 'auth.too_many_logins' } });
    expect((await state(security, jwt))['valid']).toBe(true);
  });

  it.each(['auth.logout', 'auth.refreshToken'])(
    'of a user end together with the 100,000th revocation, by %s (SEC-55)',
    async (action) => {
      const security = await open();
      const [one, two] = [await security.admin(), await security.login('root')];
      const revocations = security.container.resolve(Revocations);
      const session = { userId: 'root', expiresAtMs: security.time.nowMs + 30 * 86_400_000 };
      for (let n = 0; n < 99_999; n++) revocations.remember({ ...session, tokenId: `t${n}` });
      expect((await state(security, two))['valid']).toBe(true);
      const { jwt = null } = (await security.result(action, {}, { jwt: one })) as { readonly jwt?: string };
      for (const ended of [one, two]) expect(await state(security, ended)).toEqual({ valid: false, state: 'revoked' });
      expect(revocations.forgetUser('root', null)).toEqual([]);
      // The token of the exchange is newer than the end of the others.
      if (jwt !== null) expect((await state(security, jwt))['valid']).toBe(true);
    },
  );

  it('of a user die with a change of the password, but for the one that made it', async () => {
    const security = await open();
    const [one, two] = [await security.admin(), await security.login('root')];
    await security.result('auth.updateSelf', { body: { password: 'another-Password-8' } }, { jwt: one });
    expect((await state(security, one))['valid']).toBe(true);
    expect(await state(security, two)).toEqual({ valid: false, state: 'revoked' });
    const three = await security.login('root', 'another-Password-8');
    await security.result('security.updateUser', { _id: 'root', body: { password: PASSWORD } }, { jwt: three });
    expect((await state(security, three))['valid']).toBe(true);
    expect(await state(security, one)).toEqual({ valid: false, state: 'revoked' });
  });

  it('revoked tokens stay so after a late message of another node about earlier ones (SEC-55)', async () => {
    const security = await open();
    const admin = { jwt: await security.admin() };
    await security.result(
      'security.createUser',
      { _id: 'ada', body: { profileIds: ['default'], password: PASSWORD } },
      admin,
    );
    const caches = security.container.resolve(SecurityCaches);
    const revocations = security.container.resolve(Revocations);
    const session = { userId: 'ada', expiresAtMs: security.time.nowMs + 3_600_000 };
    for (let n = 0; n < 5_000; n++) revocations.remember({ ...session, tokenId: `t${n}` });
    const jwt = await security.login('ada');
    await security.result('auth.logout', {}, { jwt });
    caches.endTokens('ada', null);
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
    expect(revocations.has({ ...session, tokenId: 't0' })).toBe(false);
    // So may an event of this node.
    security.container.resolve<Hooks>(HOOKS).emit('auth.tokensRevoked', {
      userId: 'ada',
      exceptTokenId: 'another',
      reason: 'credentials_changed',
    });
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
  });

  it('of a deleted user are dead, also for a later user of the same id', async () => {
    const security = await open();
    const admin = { jwt: await security.admin() };
    const user = { _id: 'ada', body: { profileIds: ['default'], password: PASSWORD } };
    await security.result('security.createUser', user, admin);
    const jwt = await security.login('ada');
    expect((await state(security, jwt))['valid']).toBe(true);
    await security.result('security.deleteUser', { _id: 'ada' }, admin);
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
    await security.result('security.createUser', user, admin);
    expect(await state(security, jwt)).toEqual({ valid: false, state: 'revoked' });
  });

  it('known to the server are judged without a promise', async () => {
    const security = await open();
    const jwt = await security.admin();
    await security.result('auth.getCurrentUser', {}, { jwt });
    const service = security.container.resolve(SECURITY);
    const connection = { id: 'c', protocol: 'test', remoteAddress: '' };
    const identity = service.authenticate(createRequest({ jwt }, connection));
    expect(isThenable(identity)).toBe(false);
    if (isThenable(identity)) return;
    expect(identity.session).toMatchObject({ userId: 'root', expiresAtMs: 1_700_003_600_000 });
    const session = identity.session;
    if (session === null) throw new Error('a session');
    expect(service.userOf(session)).toMatchObject({ _id: 'root', profileIds: ['admin'] });
    await security.result('auth.logout', {}, { jwt });
    expect(service.userOf(session)).toBeNull();
  });
});
