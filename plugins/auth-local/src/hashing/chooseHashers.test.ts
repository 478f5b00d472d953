import { describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import type { LocalConfig } from '../config.js';
import type { Argon2idCost } from './Argon2idHasher.js';
import { chooseHashers } from './chooseHashers.js';
import type { PasswordHasher } from './PasswordHasher.js';
import { ScryptHasher } from './ScryptHasher.js';

const COST: Argon2idCost = { memoryKib: 19_456, iterations: 2, parallelism: 1 };
const config = (algorithm: LocalConfig['algorithm'], argon2id = COST): LocalConfig => ({
  algorithm,
  argon2id,
  scrypt: { logCost: 17 },
  password: { minLength: 8, maxLength: 1_024, forbidUsername: true },
  hashing: { concurrency: 0, maxWaiting: 10, maxWaitMs: 1_000 },
});
const missing = () => Promise.reject(new Error('Cannot find native binding\nat stack'));

describe('chooseHashers', () => {
  it('prefers argon2id and can verify both', async () => {
    const { preferred, all } = await chooseHashers(config('auto'), silentLogger);
    expect(preferred.algorithm).toBe('argon2id');
    expect([...all.keys()]).toEqual(['argon2id', 'scrypt']);
  });

  it('takes scrypt where the binary is missing, and says so', async () => {
    const lines: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: object) => lines.push(fields) };
    const { preferred, all } = await chooseHashers(config('auto'), log, missing);
    expect(preferred.algorithm).toBe('scrypt');
    expect([...all.keys()]).toEqual(['scrypt']);
    expect(lines).toEqual([{ reason: 'Cannot find native binding' }]);
  });

  it('refuses to start where argon2id is asked for and missing', async () => {
    await expect(chooseHashers(config('argon2id'), silentLogger, missing)).rejects.toThrow(
      /local\.algorithm is argon2id.*Cannot find native binding/,
    );
  });
});

describe('hashes', () => {
  const hashers: Record<string, () => Promise<PasswordHasher>> = {
    argon2id: async () => (await chooseHashers(config('argon2id'), silentLogger)).preferred,
    // Cheaper than the configuration allows: its cost is tested with the plugin.
    scrypt: async () => new ScryptHasher(12),
  };

  it.each(Object.entries(hashers))('of %s fit their password alone', async (_, open) => {
    const hasher = await open();
    const hash = await hasher.hash('a-Password');
    expect(await hasher.verify(hash, 'a-Password')).toBe(true);
    expect(await hasher.verify(hash, 'a-passworD')).toBe(false);
    expect(await hasher.verify(await hasher.hash('a-Password'), 'a-Password')).toBe(true);
    expect(hasher.isOutdated(hash)).toBe(false);
  });

  it.each(Object.entries(hashers))('of %s that are broken fit nothing', async (name, open) => {
    const hasher = await open();
    const hash = await hasher.hash('a-Password');
    const broken = ['', '$', `$${name}$`, hash.slice(0, 30), `${hash}$x`, hash.replace(/\d+/, '9999999999')];
    for (const text of broken) {
      expect(await hasher.verify(text, 'a-Password'), text).toBe(false);
      expect(hasher.isOutdated(text), text).toBe(true);
    }
  });

  it('made with less than today are outdated, with more they are not', async () => {
    const strong = await chooseHashers(config('argon2id', { ...COST, iterations: 3 }), silentLogger);
    const weak = await chooseHashers(config('argon2id'), silentLogger);
    const [three, two] = [await strong.preferred.hash('x'), await weak.preferred.hash('x')];
    expect([strong.preferred.isOutdated(two), weak.preferred.isOutdated(three)]).toEqual([true, false]);
    expect(await strong.preferred.verify(two, 'x')).toBe(true);
    const cheap = await new ScryptHasher(14).hash('x');
    expect([new ScryptHasher(17).isOutdated(cheap), new ScryptHasher(14).isOutdated(cheap)]).toEqual([true, false]);
    expect(await new ScryptHasher(17).verify(cheap, 'x')).toBe(true);
  });
});
