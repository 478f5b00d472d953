/*
 * The key for signing tokens: from the configuration, otherwise generated at the first start and stored by
 * `KeyVault`.
 */
import { createPublicKey, randomBytes, type webcrypto } from 'node:crypto';
import { coreErrors } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { JOSE } from '../LIBRARIES.js';
import type { JwtAlgorithm } from './JWT_ALGORITHMS.js';
import { KeyVault } from './KeyVault.js';

type CryptoKey = webcrypto.CryptoKey;

/** A loaded key. */
export interface LoadedKey {
  readonly algorithm: JwtAlgorithm;
  readonly signWith: CryptoKey;
  readonly verifyWith: CryptoKey;
}

/** Bits of the hash; a secret of this length is equally strong. */
const SECRET_BITS: Readonly<Partial<Record<JwtAlgorithm, number>>> = {
  HS256: 256,
  HS384: 384,
  HS512: 512,
};
const RSA_BITS = 3_072;

/** The server's signing key, once loaded. */
@scoped(Scope.ContainerScoped)
export class SigningKey {
  private key: LoadedKey | undefined;

  constructor(
    @inject(KeyVault) private readonly vault: KeyVault,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  get loaded(): LoadedKey {
    if (this.key === undefined) throw new Error('the signing key has not been loaded');
    return this.key;
  }

  /** @throws core.invalid_config if the configured keys don't fit the algorithm */
  async load(): Promise<void> {
    const { algorithm } = this.config.jwt;
    const bits = SECRET_BITS[algorithm];
    this.key = bits === undefined ? await this.loadPair(algorithm) : await this.loadSecret(algorithm, bits);
  }

  private async loadSecret(algorithm: JwtAlgorithm, bits: number): Promise<LoadedKey> {
    const { secret } = this.config.jwt;
    const text =
      secret === ''
        ? await this.vault.keep(nameOf(algorithm), async () => randomBytes(bits / 8).toString('base64url'))
        : secret;
    // Imported once as a key object: verifying with raw bytes takes twice as long.
    const parameters = { name: 'HMAC', hash: `SHA-${bits}` };
    const key = await crypto.subtle.importKey('raw', Buffer.from(text), parameters, false, ['sign', 'verify']);
    return { algorithm, signWith: key, verifyWith: key };
  }

  private async loadPair(algorithm: JwtAlgorithm): Promise<LoadedKey> {
    const { privateKey, publicKey } = this.config.jwt;
    const { importPKCS8, importSPKI } = await JOSE.load();
    if (privateKey === '' && publicKey !== '') {
      throw misfit('expected the private key of security.jwt.publicKey, got none');
    }
    const pem = privateKey === '' ? await this.vault.keep(nameOf(algorithm), () => makePair(algorithm)) : privateKey;
    try {
      const ownPublicKey = createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
      if (publicKey !== '' && normalise(publicKey) !== normalise(ownPublicKey)) {
        throw new Error('security.jwt.publicKey belongs to another key');
      }
      return {
        algorithm,
        signWith: await importPKCS8(pem, algorithm),
        verifyWith: await importSPKI(ownPublicKey, algorithm),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it cannot be read';
      throw misfit(`expected a key for ${algorithm}: ${reason}`);
    }
  }
}

function nameOf(algorithm: JwtAlgorithm): string {
  return `jwt-${algorithm}`;
}

async function makePair(algorithm: JwtAlgorithm): Promise<string> {
  const { exportPKCS8, generateKeyPair } = await JOSE.load();
  const options = { extractable: true, modulusLength: RSA_BITS };
  return exportPKCS8((await generateKeyPair(algorithm, options)).privateKey);
}

function normalise(pem: string): string {
  return pem.replace(/\s+/g, '');
}

function misfit(problem: string) {
  return coreErrors.invalid_config({
    problem: `Invalid configuration security.jwt.privateKey: ${problem}`,
  });
}
