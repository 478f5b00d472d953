/*
 * The key that tokens are signed with: from the configuration, else made at the first start and kept in the internal
 * store. Two nodes that start at once end with one key, since only the first write of it succeeds and both read it back.
 */
import { createPublicKey, randomBytes, type webcrypto } from 'node:crypto';
import { coreErrors, documentErrors, INTERNAL_INDEX, STORAGE_ENGINE, type JsonObject, type StorageEngine } from '@millrace/kernel'; // prettier-ignore
import { parseMapping } from '@millrace/query';
import { exportPKCS8, generateKeyPair, importPKCS8, importSPKI } from 'jose';
import { inject, injectable } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { InternalCollection, isError } from '../store/InternalCollection.js';
import type { JwtAlgorithm } from './JWT_ALGORITHMS.js';

type CryptoKey = webcrypto.CryptoKey;

/** A key ready for use. */
export interface LoadedKey {
  readonly algorithm: JwtAlgorithm;
  readonly signWith: CryptoKey;
  readonly verifyWith: CryptoKey;
}

/** Bits of the hash, and so of a secret that is as strong as it. */
const SECRET_BITS: Readonly<Partial<Record<JwtAlgorithm, number>>> = {
  HS256: 256,
  HS384: 384,
  HS512: 512,
};
const RSA_BITS = 3_072;

/** Knows the key of this server once it has been loaded. */
@injectable()
export class SigningKey {
  private readonly collection: InternalCollection;
  private key: LoadedKey | undefined;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {
    this.collection = new InternalCollection(
      engine,
      index,
      'keys',
      parseMapping({ dynamic: false }),
    );
  }

  get loaded(): LoadedKey {
    if (this.key === undefined) throw new Error('the signing key has not been loaded');
    return this.key;
  }

  /** @throws core.invalid_config where the configured keys don't fit the algorithm */
  async load(): Promise<void> {
    const { algorithm } = this.config.jwt;
    const bits = SECRET_BITS[algorithm];
    this.key =
      bits === undefined ? await this.loadPair(algorithm) : await this.loadSecret(algorithm, bits);
  }

  private async loadSecret(algorithm: JwtAlgorithm, bits: number): Promise<LoadedKey> {
    const { secret } = this.config.jwt;
    const text =
      secret === ''
        ? await this.keep(algorithm, async () => randomBytes(bits / 8).toString('base64url'))
        : secret;
    // A key of its own type is imported once: verifying with raw bytes costs twice as much (research/hot-paths.md 3).
    const parameters = { name: 'HMAC', hash: `SHA-${bits}` };
    const key = await crypto.subtle.importKey('raw', Buffer.from(text), parameters, false, [
      'sign',
      'verify',
    ]);
    return { algorithm, signWith: key, verifyWith: key };
  }

  private async loadPair(algorithm: JwtAlgorithm): Promise<LoadedKey> {
    const { privateKey, publicKey } = this.config.jwt;
    if (privateKey === '' && publicKey !== '') {
      throw misfit('expected the private key of security.jwt.publicKey, got none');
    }
    const pem =
      privateKey === '' ? await this.keep(algorithm, () => makePair(algorithm)) : privateKey;
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

  /** The text kept under the algorithm's name; made where there is none yet. */
  private async keep(algorithm: JwtAlgorithm, make: () => Promise<string>): Promise<string> {
    await this.collection.ensure();
    const id = `jwt-${algorithm}`;
    const known = await this.collection.read(id);
    if (known === null) {
      try {
        await this.collection.put(id, { key: await make() }, 'absent');
      } catch (error) {
        if (!isError(error, documentErrors.already_exists)) throw error;
      }
    }
    const source: JsonObject = (known ?? (await this.collection.read(id)))?.source ?? {};
    const text = source['key'];
    if (typeof text !== 'string' || text === '') throw new Error(`no key is stored under ${id}`);
    return text;
  }
}

async function makePair(algorithm: JwtAlgorithm): Promise<string> {
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
