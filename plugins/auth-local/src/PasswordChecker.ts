import type { JsonObject, Logger, StrategyUsers } from '@millrace/kernel';
import type { Hashers } from './hashing/chooseHashers.js';
import type { WorkQueue } from './hashing/WorkQueue.js';

/** Maximum length of user ids (DOC-3). */
const MAX_USER_ID_BYTES = 512;

/**
 * Creates the stored form of passwords, and verifies passwords against it.
 *
 * A check does the same work whether the user exists or not: one hash with the current parameters. If no hash is
 * stored, the password is compared with a dummy hash and the result discarded, so neither the response nor its time
 * reveals who has an account. Verifying a hash made with older parameters takes a different time, until
 * that user's next login replaces it.
 *
 * The hashers are loaded at the first use, with the dummy hash: a start would wait 50 ms for them.
 */
export class PasswordChecker {
  private loaded: Promise<LoadedHashers> | undefined;

  /** @param loadHashers called at the first use, and again if it rejects */
  constructor(
    private readonly loadHashers: () => Promise<Hashers>,
    private readonly queue: WorkQueue,
    private readonly log: Logger,
  ) {}

  /**
   * Creates the stored form of a password.
   * @param signal aborted when the client disconnects: work that is still queued is dropped
   */
  async prepare(password: string, signal?: AbortSignal): Promise<JsonObject> {
    const normal = normalizePassword(password);
    const { preferred } = await this.hashers();
    return { hash: await this.queue.run(() => preferred.hash(normal), signal) };
  }

  /** Whether the password matches the result of `prepare`. */
  matches(stored: JsonObject, password: string, signal?: AbortSignal): Promise<boolean> {
    const { hash } = stored;
    return this.compare(typeof hash === 'string' ? hash : null, password, signal);
  }

  /** Whether this is the user's password. If so, a hash weaker than the current parameters is replaced. */
  async check(users: StrategyUsers, userId: string, password: string, signal?: AbortSignal): Promise<boolean> {
    const isPossible = Buffer.byteLength(userId) <= MAX_USER_ID_BYTES;
    const stored = isPossible ? await users.credentialsOf(userId) : null;
    const hash = stored?.['hash'];
    const isRight = await this.matches(stored ?? {}, password, signal);
    if (isRight && typeof hash === 'string' && stored !== null) {
      await this.upgrade(users, userId, { hash, password });
    }
    return isRight;
  }

  private hashers(): Promise<LoadedHashers> {
    this.loaded ??= this.load().catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  private async load(): Promise<LoadedHashers> {
    const hashers = await this.loadHashers();
    const dummyHash = await hashers.preferred.hash('a password that no user has');
    return { ...hashers, dummyHash };
  }

  private async compare(hash: string | null, password: string, signal?: AbortSignal): Promise<boolean> {
    const { preferred, all, dummyHash } = await this.hashers();
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
      () => (isKnown ? hasher.verify(hash, normal) : preferred.verify(dummyHash, normal)),
      signal,
    );
    return isKnown && isRight;
  }

  /** A failed upgrade must not fail the login. */
  private async upgrade(
    users: StrategyUsers,
    userId: string,
    verified: { readonly hash: string; readonly password: string },
  ): Promise<void> {
    const { preferred } = await this.hashers();
    const isOther = algorithmOf(verified.hash) !== preferred.algorithm;
    if (!isOther && !preferred.isOutdated(verified.hash)) return;
    try {
      const renewed = await this.prepare(verified.password);
      // The password may have changed while the hash was computed: the old one must not be restored.
      const current = await users.credentialsOf(userId);
      if (current?.['hash'] === verified.hash) await users.upgradeCredentials(userId, renewed);
    } catch (error) {
      this.log.warn({ userId, error }, 'The hash of a password could not be renewed');
    }
  }
}

interface LoadedHashers extends Hashers {
  readonly dummyHash: string;
}

/** `argon2id` of `$argon2id$…`. */
function algorithmOf(hash: string): string {
  return hash.split('$', 2)[1] ?? '';
}

/**
 * Normalises a password for hashing and comparison: RFC 8265 section 4.2.2 (OpaqueString), so that the same
 * characters typed on another system give the same password. Spaces other than U+0020 become U+0020, then NFC. Case,
 * width and leading or trailing spaces are significant. Unlike the RFC, control characters are allowed and compared
 * unchanged.
 */
function normalizePassword(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
}
