import { generateKeyPairSync, sign as signWith, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { flatRole, startSecured, type SecuredServer } from './securedServer.js';
import { decodeToken, encodePart, forgeToken, type TokenParts } from './tokenForge.js';

/** Forged tokens (SEC-52, SEC-53), in the header, in the `jwt` field and in checkToken. */
type Forgery = (own: TokenParts & { readonly token: string }) => string;

const SECRET = 'the-secret-of-this-server-0123456789-abcdef';
const NONE = ['none', 'None', 'NONE', 'nOnE', 'noNe', '', ' none', 'none ', 'null', 'HS256none'];
const WEAK_KEYS = [
  '', 'secret', 'millrace', 'changeme', 'password', 'key', 'your-256-bit-secret', 'shhhhh', 'default',
  'jwt', 'undefined', 'null', '0', 'admin', '[object Object]', 'hunter2',
]; // prettier-ignore
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');

function signed(header: JsonObject, payload: unknown, key: KeyObject, digest: string | null) {
  const input = `${encodePart(header)}.${encodePart(payload)}`;
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${signWith(digest, Buffer.from(input), options).toString('base64url')}`;
}

const weakKey = (key: string): [string, Forgery] => [
  `an HS256 signature with key ${JSON.stringify(key)}`,
  ({ header, payload }) => forgeToken(header, payload, { key }),
];
const injected = (title: string, header: JsonObject, key: string): [string, Forgery] => [
  title,
  ({ payload }) => forgeToken({ alg: 'HS256', typ: 'JWT', ...header }, payload, { key }),
];
const properly = (title: string, make: (own: TokenParts) => [JsonObject, unknown]): [string, Forgery] => [
  `rightly signed: ${title}`,
  (own) => forgeToken(...make(own), { key: SECRET }),
];

const FORGERIES: readonly [string, Forgery][] = [
  // alg none
  ...NONE.map((alg): [string, Forgery] => [
    `alg ${JSON.stringify(alg)} without a signature`,
    ({ payload }) => forgeToken({ alg, typ: 'JWT' }, payload),
  ]),
  ...NONE.slice(0, 6).map((alg): [string, Forgery] => [
    `alg ${JSON.stringify(alg)} with a signature of another token`,
    ({ payload, signature }) => forgeToken({ alg, typ: 'JWT' }, payload, { signature }),
  ]),
  ['no alg at all', ({ payload }) => forgeToken({ typ: 'JWT' }, payload)],
  ['alg null', ({ payload, signature }) => forgeToken({ alg: null }, payload, { signature })],
  ['alg as a list', ({ payload }) => forgeToken({ alg: ['HS256', 'none'] }, payload, { key: SECRET })],
  ['alg none, two segments', ({ payload }) => `${encodePart({ alg: 'none' })}.${encodePart(payload)}`],
  // weak and wrong keys
  ...WEAK_KEYS.map(weakKey),
  // keys that the token brings along
  injected('a key in jwk', { jwk: { kty: 'oct', k: encodePart('attacker') } }, 'attacker'),
  injected('a public key in jwk', { jwk: rsa.publicKey.export({ format: 'jwk' }) as JsonObject }, 'attacker'),
  injected('a jku', { jku: 'http://127.0.0.1:9/keys.json' }, 'attacker'),
  injected('an x5u', { x5u: 'http://127.0.0.1:9/cert.pem' }, 'attacker'),
  injected('an x5c', { x5c: [encodePart('attacker')] }, 'attacker'),
  injected('a kid that is a path', { kid: '../../../../../../dev/null' }, ''),
  injected('a kid that is SQL', { kid: "x' UNION SELECT 'attacker" }, 'attacker'),
  injected('a kid that is the key', { kid: 'attacker' }, 'attacker'),
  injected('a kid of a prototype', { kid: '__proto__' }, ''),
  // other algorithms
  ['RS256 with a key in the token', ({ payload }) => signed({ alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) as JsonObject }, payload, rsa.privateKey, 'sha256')],
  ['ES256 with a key in the token', ({ payload }) => signed({ alg: 'ES256', jwk: ec.publicKey.export({ format: 'jwk' }) as JsonObject }, payload, ec.privateKey, 'sha256')],
  ['EdDSA with a key in the token', ({ payload }) => signed({ alg: 'EdDSA', jwk: ed.publicKey.export({ format: 'jwk' }) as JsonObject }, payload, ed.privateKey, null)],
  ['ES256 with the empty signature of CVE-2022-21449', ({ payload }) => forgeToken({ alg: 'ES256' }, payload, { signature: Buffer.alloc(64).toString('base64url') })],
  properly('HS384, which this server does not use', ({ header, payload }) => [{ ...header, alg: 'HS384' }, payload]),
  properly('HS512', ({ header, payload }) => [{ ...header, alg: 'HS512' }, payload]),
  properly('hs256', ({ header, payload }) => [{ ...header, alg: 'hs256' }, payload]),
  // headers that change the meaning
  properly('an unknown crit', ({ header, payload }) => [{ ...header, crit: ['x'], x: 1 }, payload]),
  properly('a crit with b64', ({ header, payload }) => [{ ...header, crit: ['b64'], b64: false }, payload]),
  properly('an empty crit', ({ header, payload }) => [{ ...header, crit: [] }, payload]),
  // payloads
  properly('no payload object', ({ header }) => [header, 'not json']),
  properly('a list as payload', ({ header, payload }) => [header, [payload]]),
  properly('no exp', ({ header, payload: { exp: _, ...rest } }) => [header, rest]),
  properly('exp as text', ({ header, payload }) => [header, { ...payload, exp: '9999999999' }]),
  properly('exp in the past', ({ header, payload }) => [header, { ...payload, exp: 1_000_000_000 }]),
  properly('no sub', ({ header, payload: { sub: _, ...rest } }) => [header, rest]),
  properly('sub as a list', ({ header, payload }) => [header, { ...payload, sub: [payload.sub ?? ''] }]),
  properly('no jti', ({ header, payload: { jti: _, ...rest } }) => [header, rest]),
  properly('jti as an object', ({ header, payload }) => [header, { ...payload, jti: {} }]),
  properly('no gen', ({ header, payload: { gen: _, ...rest } }) => [header, rest]),
  properly('another gen', ({ header, payload }) => [header, { ...payload, gen: `${payload.gen as string}x` }]),
  properly('the gen of another user', ({ header, payload }) => [header, { ...payload, sub: 'nobody-here' }]),
  properly('the anonymous user', ({ header, payload }) => [header, { ...payload, sub: '-1' }]),
  properly('a user called __proto__', ({ header, payload }) => [header, { ...payload, sub: '__proto__' }]),
  // the token itself
  ['a changed payload under the old signature', ({ header, payload, signature }) => forgeToken(header, { ...payload, admin: true }, { signature })],
  ['a longer life under the old signature', ({ header, payload, signature }) => forgeToken(header, { ...payload, exp: Number(payload.exp) + 3600 }, { signature })],
  ['a cut signature', ({ token }) => token.slice(0, -4)],
  ['a signature cut to one character', ({ token, signature }) => token.slice(0, token.length - signature.length + 1)],
  ['no signature', ({ token, signature }) => token.slice(0, token.length - signature.length)],
  ['a fourth segment', ({ token }) => `${token}.${encodePart('x')}`],
  ['two segments', ({ token }) => token.split('.').slice(0, 2).join('.')],
  ['header and payload swapped', ({ token }) => { const [a, b, c] = token.split('.'); return `${b}.${a}.${c}`; }],
  ['padding behind the signature', ({ token }) => `${token}=`],
  ['the token twice', ({ token }) => `${token}${token}`],
  ['a JSON serialisation', ({ token }) => { const [a, b, c] = token.split('.'); return JSON.stringify({ protected: a, payload: b, signature: c }); }],
  ['a blank inside', ({ token }) => token.replace('.', '. ')],
  ['letters only', () => 'nonsense'],
  ['three dots', () => '...'],
]; // prettier-ignore

describe('forged tokens (SEC-52)', () => {
  let server: SecuredServer;
  let own: TokenParts & { readonly token: string };
  beforeAll(async () => {
    server = await startSecured({ security: { jwt: { secret: SECRET } } });
    const { jwt } = await server.account(flatRole({ '*': ['*'] }));
    own = { ...decodeToken(jwt), token: jwt };
  });
  afterAll(() => server.close());

  it('holds at least 62 forms', () => {
    expect(FORGERIES.length).toBeGreaterThanOrEqual(62);
    expect(new Set(FORGERIES.map(([, forge]) => forge(own))).size).toBe(FORGERIES.length);
  });

  it('takes a token made by hand with the real key and claims, so the forgeries fail for their own reason', async () => {
    const remade = forgeToken(own.header, own.payload, { key: SECRET });
    expect((await server.http('GET', '/users/_me', { jwt: remade })).status).toBe(200);
    expect(await server.tokenState(remade)).toMatchObject({ valid: true });
  });

  it.each(FORGERIES)('refuses %s everywhere', async (_, forge) => {
    const token = forge(own);
    const ways = {
      // Node sends no header with such characters; the jwt field below does.
      ...(/^[\x21-\x7e][\x20-\x7e]*$/.test(token) ? { header: await server.http('GET', '/_now', { jwt: token }) } : {}),
      field: await server.message({ controller: 'server', action: 'now', jwt: token }),
      'field, of an action without rights': await server.message({
        controller: 'auth',
        action: 'getCurrentUser',
        jwt: token,
      }),
      'headers field': await server.message({
        controller: 'server',
        action: 'now',
        headers: { authorization: `Bearer ${token}` },
      }),
    };
    for (const [way, reply] of Object.entries(ways)) {
      expect([way, reply.status, reply.error.id]).toEqual([
        way,
        401,
        expect.stringMatching(/^auth\.(invalid_token|token_expired)$/),
      ]);
      expect(reply.text).not.toContain(own.payload.gen);
    }
    const state = await server.tokenState(token);
    expect(state).toEqual({
      valid: false,
      state: expect.stringMatching(/^(malformed|invalid signature|expired|revoked)$/) as unknown,
    });
  });

  it('refuses a token of another server', async () => {
    const other = await startSecured();
    try {
      expect((await server.http('GET', '/_now', { jwt: other.adminJwt })).status).toBe(401);
      expect((await other.http('GET', '/_now', { jwt: own.token })).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it.each(['Basic', 'Token', 'bearer2'])('takes a token of the scheme "%s" for none (SEC-52)', async (scheme) => {
    const headers = { authorization: `${scheme} ${own.token}` };
    expect((await server.http('GET', '/_now', { jwt: null, headers })).status).toBe(200);
    expect((await server.http('GET', '/_list', { jwt: null, headers })).status).toBe(401);
  });

  it('refuses a token without a scheme (SEC-52)', async () => {
    const headers = { authorization: own.token };
    expect((await server.http('GET', '/_now', { jwt: null, headers })).status).toBe(401);
  });

  it('refuses a token in the address, also a good one (PROTO-23)', async () => {
    const reply = await server.http('GET', `/_now?jwt=${own.token}`, { jwt: null });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(own.signature);
  });
});
