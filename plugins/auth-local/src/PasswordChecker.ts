import type { JsonObject, Logger, StrategyUsers } from '@millrace/kernel';
import type { Hashers } from './hashing/chooseHashers.js';
import type { WorkQueue } from './hashing/WorkQueue.js';
import { normalizePassword } from './normalizePassword.js';

/** Longest identifier of a user (DOC-3). */
const MAX_USER_ID_BYTES = 512;

/**
 * Makes what is kept for a password, and checks passwords against it.
 *
 * A check does the same work whether the user exists or not: one hash with the parameters of now. Where nothing is kept
 * the password is compared with a dummy hash made at setup (and the outcome thrown away), so neither the answer nor its
 * time tells who has an account. A hash made with older parameters takes another time until its user's next login,
 * which replaces it.
 */
export class PasswordChecker {
  private constructor(
    private readonly hashers: Hashers,
    private readonly queue: WorkQueue,
    private readonly log: Logger,
    private readonly dummyHash: string,
  ) {}

  static async create(hashers: Hashers, queue: WorkQueue, log: Logger): Promise<PasswordChecker> {
    const dummyHash = await hashers.preferred.hash('a password that nobody has');
    return new PasswordChecker(hashers, queue, log, dummyHash);
  }

  /**
   * What is kept for a password.
   * @param signal aborted when the client has left: the work is dropped if it still waits
   */
  async prepare(password: string, signal?: AbortSignal): Promise<JsonObject> {
    const normal = normalizePassword(password);
    return { hash: await this.queue.run(() => this.hashers.preferred.hash(normal), signal) };
  }

  /** Does the password belong to what `prepare` made? */
  matches(stored: JsonObject, password: string, signal?: AbortSignal): Promise<boolean> {
    const { hash } = stored;
    return this.compare(typeof hash === 'string' ? hash : null, password, signal);
  }

  /** Is it the password of this user? If so, a hash weaker than those of now is replaced. */
  async check(
    users: StrategyUsers,
    userId: string,
    password: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const isPossible = Buffer.byteLength(userId) <= MAX_USER_ID_BYTES;
    const stored = isPossible ? await users.credentialsOf(userId) : null;
    const hash = stored?.['hash'];
    const isRight = await this.matches(stored ?? {}, password, signal);
    if (isRight && typeof hash === 'string' && stored !== null) {
      await this.upgrade(users, userId, { hash, password });
    }
    return isRight;
  }

  private async compare(
    hash: string | null,
    password: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { preferred, all } = this.hashers;
    const hasher = hash === null ? preferred : all.get(algorithmOf(hash));
    if (hash !== null && hasher === undefined) {
      this.log.error(
        { algorithm: algorithmOf(hash) },
        'A stored password is hashed by an algorithm that this server can not run',
      );
    }
    const isKnown = hash !== null && hasher !== undefined;
    const normal = normalizePassword(password);
    const isRight = await this.queue.run(
      () => (isKnown ? hasher.verify(hash, normal) : preferred.verify(this.dummyHash, normal)),
      signal,
    );
    return isKnown && isRight;
  }

  /** A login must not fail because its hash could not be renewed. */
  private async upgrade(
    users: StrategyUsers,
    userId: string,
    verified: { readonly hash: string; readonly password: string },
  ): Promise<void> {
    const { preferred } = this.hashers;
    const isOther = algorithmOf(verified.hash) !== preferred.algorithm;
    if (!isOther && !preferred.isOutdated(verified.hash)) return;
    try {
      const renewed = await this.prepare(verified.password);
      // The password may have been changed while the hash was made: the old one must not come back.
      const current = await users.credentialsOf(userId);
      if (current?.['hash'] === verified.hash) await users.upgradeCredentials(userId, renewed);
    } catch (error) {
      this.log.warn({ userId, error }, 'The hash of a password could not be renewed');
    }
  }
}

/** `argon2id` of `$argon2id$…`. */
function algorithmOf(hash: string): string {
  return hash.split('$', 2)[1] ?? '';
}
