/*
 * Tests of misbehaving providers. Logins with a correct provider are tested over every protocol in test/strategies.
 */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type JsonObject } from '@millrace/kernel';
import { openFakeProvider, openTestLogin, type Answer, type FakeProvider } from './openTestLogin.test.support.js';

const SECRET = 'hush/+& hush';
/** 50 MB of spaces. */
const BOMB = gzipSync(Buffer.alloc(50_000_000, ' '));
let provider: FakeProvider;
beforeEach(async () => {
  provider = await openFakeProvider();
});
afterEach(() => provider.close());

const openId = (more: JsonObject = {}) => ({
  openid: provider.issuer,
  clientID: 'us',
  clientSecret: SECRET,
  createUser: true,
  ...more,
});
const plain = (more: JsonObject = {}) => ({
  authorizationURL: `${provider.issuer}/auth`,
  tokenURL: `${provider.issuer}/token`,
  profileURL: `${provider.issuer}/me`,
  clientID: 'us',
  clientSecret: SECRET,
  createUser: true,
  ...more,
});

/** A login whose id_token has these claims. */
async function loginWith(claims: JsonObject, how?: Parameters<FakeProvider['idToken']>[1]) {
  const login = await openTestLogin(openId());
  const nonce = (await login.begin()).get('nonce') ?? '';
  const id_token = await provider.idToken({ nonce, ...claims }, how);
  provider.answers['/token'] = { access_token: 'a', token_type: 'Bearer', id_token };
  return { login, answer: await login.refusal({ code: 'x' }) };
}

describe('an id_token', () => {
  it('names the user by issuer and subject', async () => {
    const { login, answer } = await loginWith({});
    const identity = `${provider.issuer} ada`;
    expect(JSON.parse(answer)).toEqual({ userId: `user of ${identity}` });
    expect([...login.made]).toEqual([[identity, { profileIds: ['default'], content: {} }]]);
    expect(provider.requests.map(({ path }) => path)).not.toContain('/me');
  });

  it.each<[string, JsonObject, Parameters<FakeProvider['idToken']>[1]]>([
    ['signed by another key', {}, { isForged: true }],
    ['of another issuer', { iss: 'https://evil.example' }, {}],
    ['for another client', { aud: 'them' }, {}],
    ['for others too, without saying for whom it was made', { aud: ['us', 'them'] }, {}],
    ['made for another client', { aud: ['us', 'them'], azp: 'them' }, {}],
    ['of another login', { nonce: 'another' }, {}],
    ['without a nonce', { nonce: null }, {}],
    ['that has expired', {}, { ageSeconds: 400 }],
    ['that is too old, however long it shall last', { exp: 9_999_999_999 }, { ageSeconds: 700 }],
    ['from the future', {}, { ageSeconds: -300 }],
    ['without a subject', { sub: null }, {}],
  ])('is refused %s', async (_, claims, how) => {
    const { login, answer } = await loginWith(claims, how);
    expect(answer).toMatch(/^401 auth\.identity_refused/);
    expect(login.made.size).toBe(0);
  });

  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  it.each<[string, (payload: object) => unknown]>([
    ['absent', () => undefined],
    ['no text', () => ({ sub: 'ada' })],
    ['no token', () => 'rubbish'],
    ['unsigned', (payload) => `${encode({ alg: 'none' })}.${encode(payload)}.`],
    ['signed by a secret', (payload) => `${encode({ alg: 'HS256' })}.${encode(payload)}.AAAA`],
  ])('is refused where it is %s', async (_, make) => {
    const login = await openTestLogin(openId());
    const nonce = (await login.begin()).get('nonce') ?? '';
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const payload = { iss: provider.issuer, sub: 'ada', aud: 'us', iat: nowSeconds, exp: nowSeconds + 300, nonce };
    provider.answers['/token'] = { access_token: 'a', id_token: make(payload) };
    expect(await login.refusal({ code: 'x' })).toMatch(/^401 auth\.identity_refused/);
  });

  it('is completed by userinfo of the same subject, and by no other', async () => {
    const login = await openTestLogin(openId({ attributeMap: { name: 'name' } }));
    const answerAs = async (me: JsonObject) => {
      const nonce = (await login.begin()).get('nonce') ?? '';
      const id_token = await provider.idToken({ nonce });
      provider.answers['/token'] = { access_token: 'a', id_token };
      provider.answers['/me'] = me;
      return login.refusal({ code: 'x' });
    };
    expect(await answerAs({ sub: 'eve', name: 'Eve' })).toMatch(/^401 auth\.identity_refused/);
    expect(await answerAs({ name: 'Eve' })).toMatch(/^401 auth\.identity_refused/);
    expect(await answerAs({ sub: 'ada', name: 'Ada' })).toMatch(/userId/);
    expect([...login.made.values()]).toEqual([{ profileIds: ['default'], content: { name: 'Ada' } }]);
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer a');
  });
});

describe('the exchange of a code', () => {
  beforeEach(() => {
    provider.answers['/token'] = { access_token: 'a', token_type: 'bearer' };
    provider.answers['/me'] = { id: 7 };
  });

  it('sends code, verifier, callback, and proves the client by HTTP Basic', async () => {
    const login = await openTestLogin(plain());
    const address = await login.begin();
    expect(address.has('scope')).toBe(false);
    const challenge = address.get('code_challenge');
    expect(await login.refusal({ code: 'the-secret-code' })).toMatch(/user of 7/);
    const { form, headers, method } = provider.requests[0] ?? { form: new URLSearchParams() };
    expect(method).toBe('POST');
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      code: 'the-secret-code',
      redirect_uri: 'http://localhost:7511/api/1.0/_login/test',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(form.get('code_verifier') ?? ''));
    expect(Buffer.from(digest).toString('base64url')).toBe(challenge);
    const [id, secret] = Buffer.from(headers?.authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    expect([id, new URLSearchParams(`s=${secret}`).get('s')]).toEqual(['us', SECRET]);
  });

  it('proves the client in the form where it shall, and by PKCE alone without a secret', async () => {
    for (const more of [{ clientAuthentication: 'post' }, { clientSecret: '' }]) {
      const login = await openTestLogin(plain(more));
      await login.begin();
      await login.step({ code: 'x' });
    }
    const forms = provider.requests
      .filter(({ path }) => path === '/token')
      .map(({ form, headers }) => [form.get('client_id'), form.get('client_secret'), headers.authorization]);
    expect(forms).toEqual([
      ['us', SECRET, undefined],
      ['us', null, undefined],
    ]);
  });

  it.each<[string, string, Answer, RegExp]>([
    [
      'an error of the code',
      '/token',
      (_, to) => to.writeHead(400).end('{"error":"invalid_grant"}'),
      /^401 auth\.provider_denied: .*invalid_grant/,
    ],
    [
      'an error with status 200',
      '/token',
      { error: 'bad_verification_code' },
      /^401 auth\.provider_denied: .*bad_verification_code/,
    ],
    [
      'an error that is a whole text',
      '/token',
      (_, to) => to.writeHead(400).end(`{"error":"${SECRET}"}`),
      /^502 auth\.provider_failed/,
    ],
    [
      'that the client is wrong',
      '/token',
      (_, to) => to.writeHead(401).end('{"error":"invalid_client"}'),
      /^502 auth\.provider_failed: .*invalid_client/,
    ],
    ['no JSON', '/token', (_, to) => to.end('<html>'), /^502 auth\.provider_failed/],
    ['a list', '/token', [], /^502 auth\.provider_failed/],
    ['JSON that is too deep', '/token', (_, to) => to.end('['.repeat(50_000)), /^502 auth\.provider_failed/],
    ['no access token', '/token', { token_type: 'bearer' }, /^502 auth\.provider_failed/],
    ['a token of another type', '/token', { access_token: 'a', token_type: 'mac' }, /^502 auth\.provider_failed/],
    [
      'a redirection',
      '/token',
      (_, to) => to.writeHead(307, { location: '/elsewhere' }).end(),
      /^502 auth\.provider_failed/,
    ],
    ['that it is broken', '/token', (_, to) => to.writeHead(500).end(), /^503 auth\.provider_unavailable/],
    ['that it is busy', '/token', (_, to) => to.writeHead(429).end(), /^503 auth\.provider_unavailable/],
    ['nothing', '/token', () => undefined, /^503 auth\.provider_unavailable/],
    ['by hanging up', '/token', (_, to) => to.destroy(), /^503 auth\.provider_unavailable/],
    ['half an answer', '/token', (_, to) => to.write('{"access'), /^503 auth\.provider_unavailable/],
    [
      'a huge body',
      '/token',
      (_, to) => to.end(Buffer.alloc(300_000, ' ')),
      /^502 auth\.provider_failed: .*262144 bytes/,
    ],
    [
      'a body that unpacks to a huge one',
      '/token',
      (_, to) => to.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
      /^502 auth\.provider_failed: .*262144 bytes/,
    ],
    ['a profile that is no object', '/me', ['x'], /^502 auth\.provider_failed/],
    ['a profile without an identifier', '/me', { name: 'x' }, /^502 auth\.provider_failed/],
    ['an identifier that is an object', '/me', { id: {} }, /^502 auth\.provider_failed/],
    ['an empty identifier', '/me', { id: '' }, /^502 auth\.provider_failed/],
    ['an identifier with a control character', '/me', { id: 'a\u0000b' }, /^502 auth\.provider_failed/],
    ['an identifier that is no safe integer', '/me', { id: 2 ** 60 }, /^502 auth\.provider_failed/],
    ['no profile for this token', '/me', (_, to) => to.writeHead(401).end(), /^502 auth\.provider_failed/],
  ])('fails clearly where the provider answers %s', async (_, path, answer, expected) => {
    provider.answers[path] = answer;
    // Of those that expect 503 some never answer.
    const options = expected.source.startsWith('^503') ? { timeoutMs: 300 } : {};
    const login = await openTestLogin(plain(), options);
    await login.begin();
    const refusal = await login.refusal({ code: 'the-secret-code' });
    expect(refusal).toMatch(expected);
    for (const secret of [SECRET, 'the-secret-code']) expect(refusal).not.toContain(secret);
    expect(provider.requests.map(({ path: asked }) => asked)).not.toContain('/elsewhere');
  });

  it('lets a hanging provider take so many places and no more', async () => {
    provider.answers['/token'] = () => undefined;
    const login = await openTestLogin(plain(), { maxConcurrent: 2 });
    for (let i = 0; i < 3; i++) await login.begin();
    const hanging = [login.refusal({ code: 'x' }), login.refusal({ code: 'x' })];
    expect(await login.refusal({ code: 'x' })).toMatch(/too many logins/);
    await Promise.all(hanging);
    provider.answers['/token'] = { access_token: 'a' };
    await login.begin();
    expect(await login.refusal({ code: 'x' })).toMatch(/userId/);
  });

  it('finds a user and makes none where users are not made', async () => {
    const login = await openTestLogin(plain({ createUser: false }));
    await login.begin();
    expect(await login.refusal({ code: 'x' })).toBe('null');
    login.made.set('7', {});
    await login.begin();
    expect(await login.refusal({ code: 'x' })).toMatch(/user of 7/);
  });
});

describe('discovery', () => {
  const PATH = '/.well-known/openid-configuration';

  it('happens at the first login, and is kept', async () => {
    const login = await openTestLogin(openId());
    expect(provider.requests).toEqual([]);
    await login.begin();
    await login.begin();
    expect(provider.requests.map(({ path }) => path)).toEqual([PATH]);
  });

  it('is tried again where the provider was away', async () => {
    const metadata = provider.answers[PATH] as object;
    provider.answers[PATH] = (_: unknown, to: { destroy(): void }) => to.destroy();
    const login = await openTestLogin(openId());
    expect(await login.refusal({})).toMatch(/^503 auth\.provider_unavailable/);
    provider.answers[PATH] = metadata;
    const later = systemClock.monotonicMs() + 2_000;
    const clock = vi.spyOn(systemClock, 'monotonicMs').mockReturnValue(later);
    await login.begin();
    clock.mockRestore();
  });

  it.each<[string, JsonObject | null]>([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['an issuer with a slash more', { issuer: '/' }],
    ['no issuer', { issuer: null }],
    ['no token endpoint', { token_endpoint: null }],
    ['an address that is none', { jwks_uri: 'keys' }],
    ['an address of another scheme', { token_endpoint: 'file:///etc/passwd' }],
    ['rubbish', null],
  ])('is refused with %s', async (_, change) => {
    const metadata = provider.answers[PATH] as JsonObject;
    const issuer = change?.['issuer'] === '/' ? `${provider.issuer}/` : change?.['issuer'];
    provider.answers[PATH] =
      change === null ? [] : { ...metadata, ...change, ...(issuer === undefined ? {} : { issuer }) };
    const login = await openTestLogin(openId());
    expect(await login.refusal({})).toMatch(/^502 auth\.provider_failed/);
  });

  it('answers 503 where the keys don’t come', async () => {
    provider.answers['/jwks'] = () => undefined;
    const login = await openTestLogin(openId());
    const nonce = (await login.begin()).get('nonce') ?? '';
    provider.answers['/token'] = { access_token: 'a', id_token: await provider.idToken({ nonce }) };
    expect(await login.refusal({ code: 'x' })).toMatch(/^503 auth\.provider_unavailable/);
  });

  it('takes what discovery says of the client’s proof', async () => {
    const metadata = provider.answers[PATH] as JsonObject;
    provider.answers[PATH] = {
      ...metadata,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    const login = await openTestLogin(openId());
    await login.begin();
    provider.answers['/token'] = { error: 'x' };
    await login.refusal({ code: 'x' });
    expect(provider.requests.at(-1)?.form.get('client_secret')).toBe(SECRET);
  });
});
