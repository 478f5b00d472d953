import type { Logger } from '@millrace/kernel';
import type { LocalConfig } from '../config.js';
import { Argon2idHasher, type Argon2Binding } from './Argon2idHasher.js';
import type { PasswordHasher } from './PasswordHasher.js';
import { ScryptHasher } from './ScryptHasher.js';

/** The hashers of a server: `preferred` makes new hashes, hashes of `all` can be verified. */
export interface Hashers {
  readonly preferred: PasswordHasher;
  readonly all: ReadonlyMap<string, PasswordHasher>;
}

/**
 * Selects the hashing algorithm. argon2id needs a prebuilt binary; if it can't be loaded, `auto` uses scrypt.
 * @throws Error if the configuration requires argon2id and it can't be loaded
 */
export async function chooseHashers(
  config: LocalConfig,
  log: Logger,
  loadArgon2: () => Promise<Argon2Binding> = () => import('@node-rs/argon2'),
): Promise<Hashers> {
  const scrypt = new ScryptHasher(config.scrypt.logCost);
  const argon2id = await loadArgon2().then(
    (binding) => new Argon2idHasher(binding, config.argon2id),
    (error: unknown) => error,
  );
  if (argon2id instanceof Argon2idHasher) {
    const preferred = config.algorithm === 'scrypt' ? scrypt : argon2id;
    return { preferred, all: byAlgorithm(argon2id, scrypt) };
  }
  const reason = argon2id instanceof Error ? argon2id.message.split('\n')[0] : String(argon2id);
  if (config.algorithm === 'argon2id') {
    throw new Error(`local.algorithm is argon2id, and its binary can't be loaded: ${reason}`);
  }
  if (config.algorithm === 'auto') {
    log.warn({ reason }, 'The binary of argon2id can not be loaded: passwords are hashed by scrypt');
  }
  return { preferred: scrypt, all: byAlgorithm(scrypt) };
}

function byAlgorithm(...hashers: readonly PasswordHasher[]): ReadonlyMap<string, PasswordHasher> {
  return new Map(hashers.map((hasher) => [hasher.algorithm, hasher]));
}
