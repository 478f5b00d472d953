/*
 * Writes users.
 *
 * Order of writes: credentials are written before the user, in one call of the engine. A login reads `gen` before the
 * credentials, so a login that read the old credentials also read the old `gen`, and its token is invalid once the
 * change is written. Changes of one user run one after the other; between nodes the version decides, and the loser
 * retries.
 *
 * Remaining races between nodes (not within one): two concurrent creations with the same `suid` both succeed, and the
 * later one owns the credentials; two calls that demote the last two administrators may both succeed.
 */
import { isDeepStrictEqual } from 'node:util';
import { KeyedQueue, retryOnConflict, securityErrors, type JsonObject } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { FirstAdminMarker } from '../FirstAdminMarker.js';
import { ApiKeyDeletion } from '../keys/ApiKeyDeletion.js';
import { ProfileStore } from '../roles/ProfileStore.js';
import { ADMIN_PROFILE, isAdministrator } from '../rights/BUILT_IN_ROLES.js';
import { StructureLock } from '../store/StructureLock.js';
import { CredentialStore } from '../users/CredentialStore.js';
import { newGen } from './newGen.js';
import type { UserParts, UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';

/** Credentials to write, by strategy; null removes them. */
type Credentials = ReadonlyMap<string, JsonObject | null>;

/** A user to create. */
interface NewUser extends Omit<UserParts, 'gen' | 'keptTokenId'> {
  readonly credentials: Credentials;
  /** Whether the caller has chosen the suid. */
  readonly hasChosenSuid: boolean;
  /** Whether the user has chosen the content. */
  readonly isSelfMade: boolean;
}

/** What a change replaces. */
export type UserChange = Pick<UserParts, 'profileIds' | 'content' | 'selfWritten'>;

/** A change of a user. */
interface ChangeAsked {
  readonly actor: Actor;
  readonly credentials?: Credentials;
  /** Profiles that must exist when it is written. */
  readonly profileIds?: readonly string[] | undefined;
  /** Absent: the record stays. */
  readonly change?: (record: UserRecord) => UserChange;
  /** Whether tokens issued before stay valid. Default: unless credentials change. */
  readonly keepsTokens?: boolean;
}

type StoredChange = ChangeAsked & Required<Pick<ChangeAsked, 'credentials' | 'keepsTokens'>>;

const NO_CREDENTIALS: Credentials = new Map();

/** Nothing has been written yet: the change must be retried exclusively. */
class MustBeAlone extends Error {}

/** Creates, changes and deletes users, and reports it. One change of a user at a time. */
@scoped(Scope.ContainerScoped)
export class UserWriter {
  /** Serialises the creations with a suid. */
  private readonly suids = new KeyedQueue();

  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ApiKeyDeletion) private readonly keys: ApiKeyDeletion,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
  ) {}

  /** @param by acting user @throws security.invalid_user (400), security.user_exists, security.suid_taken (409) */
  async insert(user: NewUser, by: string): Promise<UserRecord> {
    const { id, profileIds, suid, content, selfWritten, credentials, hasChosenSuid, isSelfMade } = user;
    const record = await this.lock.share(() =>
      this.users.inTurn(id, () =>
        this.suids.run(suid, async () => {
          await this.assertInsertable(id, profileIds);
          if (hasChosenSuid) {
            await this.freeSuid(suid);
            // Keys left by a crash are those of the earlier user of this `_id` and suid.
            await this.keys.deleteAll(id, by);
          }
          const parts = { id, profileIds, suid, content, selfWritten, gen: newGen(), keptTokenId: null };
          const operations = this.credentials.operations(parts, credentials);
          return this.users.save(parts, 'absent', operations, isSelfMade);
        }),
      ),
    );
    this.audit.userChanged({ id, change: 'created', by });
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    return record;
  }

  /** @throws security.invalid_user (400) for a missing profile, security.user_exists (409) */
  async assertInsertable(id: string, profileIds: readonly string[]): Promise<void> {
    await this.profiles.assertExist(profileIds);
    if ((await this.users.find(id)) !== null) throw securityErrors.user_exists({ userId: id });
  }

  /** @throws security.invalid_user (400), security.user_not_found (404), security.last_administrator (412) */
  async change(id: string, asked: ChangeAsked): Promise<UserRecord> {
    const { credentials = NO_CREDENTIALS, keepsTokens = credentials.size === 0 } = asked;
    const record = await this.store(id, { ...asked, credentials, keepsTokens });
    if (!keepsTokens) {
      const reason = 'credentials_changed';
      this.audit.tokensRevoked({ userId: id, exceptTokenId: record.keptTokenId, reason });
    }
    this.audit.userChanged({ id, change: 'updated', by: asked.actor.userId });
    // Other nodes are notified even if this fails.
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    return record;
  }

  /** Revokes all tokens of a user; API keys stay. @throws security.user_not_found (404) */
  async revokeTokens(id: string, actor: Actor): Promise<void> {
    // None is kept, also not that of the request.
    await this.store(id, { actor: { ...actor, tokenId: null }, credentials: NO_CREDENTIALS, keepsTokens: false });
    this.audit.tokensRevoked({ userId: id, exceptTokenId: null, reason: 'signed_out_everywhere' });
  }

  /**
   * Stores new credentials for the same secret, such as a stronger hash; revokes nothing.
   * @param gen of the user when the secret was verified; if it has changed, nothing is written
   */
  upgradeCredentials(id: string, strategy: string, stored: JsonObject, gen: string): Promise<void> {
    return this.users.inTurn(id, async () => {
      const record = await this.users.find(id);
      if (record === null || record.gen !== gen) return;
      await this.credentials.put(strategy, record, stored, 'present');
    });
  }

  /** @throws security.user_not_found (404), security.last_administrator (412) */
  async delete(id: string, actor: Actor): Promise<void> {
    await this.locked((isAlone) =>
      this.users.inTurn(id, async () => {
        const record = await this.users.get(id);
        if (isAdministrator(record)) await this.assertAnotherAdministrator(id, isAlone);
        // The user first: its tokens become invalid with it, and credentials without a user are useless.
        if (!(await this.users.delete(id))) throw securityErrors.user_not_found({ userId: id });
        await this.credentials.deleteAll(record.suid);
        await this.keys.deleteAll(id, actor.userId);
      }),
    );
    this.audit.tokensRevoked({ userId: id, exceptTokenId: null, reason: 'user_deleted' });
    this.audit.userChanged({ id, change: 'deleted', by: actor.userId });
  }

  /** A suid chosen by the caller must be unused; credentials left under it by a crash are removed. */
  private async freeSuid(suid: string): Promise<void> {
    if ((await this.users.countWithSuid(suid)) > 0) throw securityErrors.suid_taken({});
    await this.credentials.deleteAll(suid);
  }

  /** Runs shared if possible, exclusively if it turns out to remove an administrator. */
  private async locked<T>(task: (isAlone: boolean) => Promise<T>): Promise<T> {
    try {
      return await this.lock.share(() => task(false));
    } catch (error) {
      if (!(error instanceof MustBeAlone)) throw error;
      return this.lock.exclude(() => task(true));
    }
  }

  private store(id: string, change: StoredChange): Promise<UserRecord> {
    return this.locked(async (isAlone) => {
      if (change.profileIds !== undefined) await this.profiles.assertExist(change.profileIds);
      return this.users.inTurn(id, () =>
        // `save` dropped the cached user when it lost the race against another node.
        retryOnConflict(async () => this.storeOnce(await this.users.get(id), change, isAlone)),
      );
    });
  }

  /** @param isAlone true if no other change runs at the same time */
  private async storeOnce(
    record: UserRecord,
    { actor, credentials, change, keepsTokens }: StoredChange,
    isAlone: boolean,
  ): Promise<UserRecord> {
    const { id, suid } = record;
    const { profileIds, content, selfWritten } = change?.(record) ?? record;
    if (isAdministrator(record) && !isAdministrator({ profileIds })) {
      await this.assertAnotherAdministrator(id, isAlone);
    }
    const isSame =
      isDeepStrictEqual(profileIds, record.profileIds) &&
      isDeepStrictEqual(content, record.content) &&
      isDeepStrictEqual(selfWritten, record.selfWritten);
    if (isSame && credentials.size === 0 && keepsTokens) return record;
    const tokens = keepsTokens
      ? { gen: record.gen, keptTokenId: record.keptTokenId }
      : { gen: newGen(), keptTokenId: actor.userId === id ? actor.tokenId : null };
    const parts = { id, suid, profileIds, content, selfWritten, ...tokens };
    const operations = this.credentials.operations(parts, credentials);
    return this.users.save(parts, record.version, operations, actor.userId === id);
  }

  private async assertAnotherAdministrator(userId: string, isAlone: boolean): Promise<void> {
    if (!isAlone) throw new MustBeAlone();
    const count = await this.users.countWithProfile(ADMIN_PROFILE);
    if (count <= 1) throw securityErrors.last_administrator({ userId });
  }
}
