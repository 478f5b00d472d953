import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startSecured } from './securedServer.js';
import { decodeToken, forgeToken } from './tokenForge.js';

const PAIRS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

/** The public key is public: nothing signed with it as a secret may pass (CVE-2015-9235, CVE-2022-23541). */
describe('a server that signs with a private key (SEC-50)', () => {
  it.each(Object.entries(PAIRS))('by %s takes no HMAC made with its public key', async (algorithm, makePair) => {
    const { privateKey, publicKey } = makePair();
    const jwt = {
      algorithm,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
    const server = await startSecured({ security: { jwt } });
    try {
      const { header, payload } = decodeToken(server.adminJwt);
      expect(header.alg).toBe(algorithm);
      expect((await server.http('GET', '/_list')).status).toBe(200);
      const spki = publicKey.export({ type: 'spki', format: 'der' });
      const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));
      const keys = [
        jwt.publicKey,
        jwt.publicKey.trim(),
        jwt.publicKey.replaceAll('\n', ''),
        jwt.publicKey.replaceAll('\n', '\r\n'),
        spki,
        spki.toString('base64'),
        jwk,
        '',
      ];
      for (const key of keys) {
        for (const alg of ['HS256', 'HS384', 'HS512', 'none', algorithm]) {
          const token = forgeToken({ ...header, alg }, payload, { key });
          expect([alg, (await server.http('GET', '/_now', { jwt: token })).status]).toEqual([alg, 401]);
          expect(await server.tokenState(token)).toMatchObject({ valid: false });
        }
      }
      const unsigned = forgeToken({ ...header, alg: 'none' }, payload);
      expect((await server.http('GET', '/_now', { jwt: unsigned })).status).toBe(401);
    } finally {
      await server.close();
    }
  });

  it.each(['secret', 'a'.repeat(64), 'millrace-millrace-millrace', 'changeme'])(
    'does not start with the guessable secret %s',
    async (secret) => {
      await expect(startSecured({ security: { jwt: { secret } } })).rejects.toThrow(/security\.jwt\.secret/);
    },
  );
});
