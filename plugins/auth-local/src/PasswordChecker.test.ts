import { describe, expect, it } from 'vitest';
import { silentLogger, type JsonObject, type StrategyUsers } from '@millrace/kernel';
import type { PasswordHasher } from './hashing/PasswordHasher.js';
import { WorkQueue } from './hashing/WorkQueue.js';
import { PasswordChecker } from './PasswordChecker.js';

/** Counts calls; a hash is `$<algorithm>$<cost>$<password>`. */
class CountingHasher implements PasswordHasher {
  verified: string[] = [];

  constructor(
    readonly algorithm: string,
    private readonly cost: number,
    private readonly beforeHash: () => void = () => undefined,
  ) {}

  async hash(password: string): Promise<string> {
    this.beforeHash();
    return `$${this.algorithm}$${this.cost}$${password}`;
  }

  async verify(hash: string, password: string): Promise<boolean> {
    this.verified.push(hash);
    return hash.split('$')[3] === password;
  }

  isOutdated(hash: string): boolean {
    return Number(hash.split('$')[2]) < this.cost;
  }
}

async function open(hasher: CountingHasher, kept: Record<string, JsonObject>, more: Partial<StrategyUsers> = {}) {
  const queue = new WorkQueue({ concurrency: 2, maxWaiting: 10, maxWaitMs: 1_000 });
  const all = new Map([[hasher.algorithm, hasher]]);
  const load = async () => ({ preferred: hasher, all });
  const checker = new PasswordChecker(load, queue, silentLogger);
  const users: StrategyUsers = {
    credentialsOf: (userId) => kept[userId] ?? null,
    upgradeCredentials: async (userId, stored) => void (kept[userId] = stored),
    ...more,
  };
  return { checker, check: (id: string, password: string) => checker.check(users, id, password) };
}

describe('PasswordChecker', () => {
  it('does the work of one check for a user that does not exist', async () => {
    const hasher = new CountingHasher('a', 1);
    const { check } = await open(hasher, { ada: { hash: '$a$1$right' } });
    expect(await check('ada', 'wrong')).toBe(false);
    expect(await check('nobody', 'wrong')).toBe(false);
    expect(hasher.verified).toHaveLength(2);
  });

  it('lets no user in by the dummy hash', async () => {
    const hasher = new CountingHasher('a', 1);
    const { check } = await open(hasher, { broken: { hash: 5 }, empty: {} });
    await check('nobody', 'x');
    const dummy = hasher.verified[0]?.split('$')[3] ?? '';
    expect(dummy.length).toBeGreaterThan(0);
    for (const id of ['nobody', 'broken', 'empty']) expect(await check(id, dummy)).toBe(false);
  });

  it('renews a weaker hash at a login that succeeds, and no other', async () => {
    const kept = { ada: { hash: '$a$1$right' } };
    const { check } = await open(new CountingHasher('a', 2), kept);
    expect(await check('ada', 'wrong')).toBe(false);
    expect(kept.ada.hash).toBe('$a$1$right');
    expect(await check('ada', 'right')).toBe(true);
    expect(kept.ada.hash).toBe('$a$2$right');
  });

  it('does not bring back a password that was changed meanwhile', async () => {
    const kept = { ada: { hash: '$a$1$old' } };
    let isSetUp = false;
    const hasher = new CountingHasher('a', 2, () => {
      if (isSetUp) kept.ada = { hash: '$a$2$new' };
    });
    const { check } = await open(hasher, kept);
    isSetUp = true;
    expect(await check('ada', 'old')).toBe(true);
    expect(kept.ada.hash).toBe('$a$2$new');
  });

  it('logs in although the hash could not be renewed', async () => {
    const failing = { upgradeCredentials: () => Promise.reject(new Error('disk full')) };
    const { check } = await open(new CountingHasher('a', 2), { ada: { hash: '$a$1$right' } }, failing);
    expect(await check('ada', 'right')).toBe(true);
  });

  it('refuses a hash of an algorithm that can not be run, after the same work', async () => {
    const hasher = new CountingHasher('a', 1);
    const { check } = await open(hasher, { ada: { hash: '$b$1$right' } });
    expect(await check('ada', 'right')).toBe(false);
    expect(hasher.verified).toHaveLength(1);
  });
});
