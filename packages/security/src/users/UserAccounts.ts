/*
 * Users with their rules (SEC-40).
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
import { retryOnConflict, securityErrors, type JsonObject } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { assertAccountId } from '../assertAccountId.js';
import { Audit } from '../Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { FirstAdminMarker } from '../FirstAdminMarker.js';
import { ApiKeyDeletion } from '../keys/ApiKeyDeletion.js';
import { assertProfilesWithinKey } from '../keys/assertWithinKey.js';
import { ProfileStore } from '../profiles/ProfileStore.js';
import { ADMIN_PROFILE } from '../roles/BUILT_IN_ROLES.js';
import { StructureLock } from '../store/StructureLock.js';
import { CredentialStore } from './CredentialStore.js';
import { newGen } from './newGen.js';
import { assertOwnProperties, mergeContent, parseUserBody, requireProfiles, type UserBody } from './parseUserBody.js';
import { SecretProperties } from './SecretProperties.js';
import { assertNoCredentialsByKey, UserCreation } from './UserCreation.js';
import { UserQueue } from './UserQueue.js';
import { isAdministrator, propertyNameOf, type UserRecord } from './UserRecord.js';
import { UserStore } from './UserStore.js';

/** A user after a write. */
export interface WrittenUser {
  readonly record: UserRecord;
  readonly isNew: boolean;
}

/** A change of a user. */
interface UserChange {
  readonly profileIds: readonly string[];
  readonly content: JsonObject;
  readonly selfWritten: readonly string[];
}

interface ChangeRun {
  readonly change: (record: UserRecord) => UserChange;
  /** True if no other change runs at the same time. */
  readonly isAlone: boolean;
  /** Whether tokens issued before stay valid. Default: unless credentials change. */
  readonly keepsTokens?: boolean;
}

/** Nothing has been written yet: the change must be retried exclusively. */
class MustBeAlone extends Error {}

/** Changes and deletes users. */
@scoped(Scope.ContainerScoped)
export class UserAccounts {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ApiKeyDeletion) private readonly keys: ApiKeyDeletion,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(SecretProperties) private readonly secrets: SecretProperties,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(UserCreation) private readonly creation: UserCreation,
    @inject(UserQueue) private readonly queue: UserQueue,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /** createOrReplaceUser: keeps an existing suid and, without a password, existing credentials. */
  async createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<WrittenUser> {
    const parsed = this.parse(body);
    const profileIds = requireProfiles(parsed);
    assertAccountId('user', id);
    if ((await this.users.find(id)) === null) {
      return {
        record: await this.creation.insertGiven(id, parsed, profileIds, actor),
        isNew: true,
      };
    }
    const replace = (): UserChange => ({
      profileIds,
      content: parsed.content,
      selfWritten: [],
    });
    return { record: await this.change(id, parsed, actor, replace), isNew: false };
  }

  /**
   * updateUser: deep-merges free properties. @throws security.user_not_found (404), security.last_administrator (412)
   */
  update(id: string, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    if (parsed.suid !== undefined) throw invalid("suid can't be changed");
    const given = Object.keys(parsed.content).map(propertyNameOf);
    return this.change(id, parsed, actor, (record) => ({
      profileIds: parsed.profileIds ?? record.profileIds,
      content: mergeContent(record.content, parsed.content),
      selfWritten: record.selfWritten.filter((name) => !given.includes(name)),
    }));
  }

  /**
   * updateSelf: users can't change their identity, profiles and protected properties.
   * @param confirm called if the body has credentials: rejects if the user may not change them now
   */
  async updateSelf(body: JsonObject, actor: Actor, confirm: () => Promise<void>): Promise<UserRecord> {
    const parsed = this.parse(body);
    assertOwnProperties(parsed, 'updateSelf', this.config.protectedProperties);
    if (parsed.secrets.size > 0) await confirm();
    const given = Object.keys(parsed.content).map(propertyNameOf);
    return this.change(actor.userId, parsed, actor, (record) => ({
      profileIds: record.profileIds,
      content: mergeContent(record.content, parsed.content),
      selfWritten: [...new Set([...record.selfWritten, ...given])],
    }));
  }

  /** @throws security.user_not_found (404), security.last_administrator (412) */
  async delete(id: string, actor: Actor): Promise<void> {
    await this.locked((isAlone) =>
      this.queue.forUser(id, async () => {
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

  /** Revokes all tokens of a user; API keys stay. @throws security.user_not_found (404) */
  async revokeTokens(id: string, actor: Actor): Promise<void> {
    const change = unchanged;
    // None is kept, also not that of the request.
    const by = { ...actor, tokenId: null };
    await this.locked((isAlone) => this.write(id, new Map(), by, { change, isAlone, keepsTokens: false }));
    this.audit.tokensRevoked({ userId: id, exceptTokenId: null, reason: 'signed_out_everywhere' });
  }

  /**
   * Adds, replaces or removes (null) a user's credentials for one strategy.
   * @param prepared the result of `StrategyCredentials.prepare`
   * @param keepsTokens false: revokes the user's tokens except the actor's
   */
  changeCredentials(
    id: string,
    strategy: string,
    prepared: JsonObject | null,
    { actor, keepsTokens }: { readonly actor: Actor; readonly keepsTokens: boolean },
  ): Promise<UserRecord> {
    return this.locked((isAlone) =>
      this.write(id, new Map([[strategy, prepared]]), actor, {
        change: unchanged,
        isAlone,
        keepsTokens,
      }),
    ).then((record) => this.changed(record, !keepsTokens, actor));
  }

  /**
   * Stores new credentials for the same secret, such as a stronger hash; revokes nothing.
   * @param gen of the user when the secret was verified; if it has changed, nothing is written
   */
  upgradeCredentials(id: string, strategy: string, stored: JsonObject, gen: string): Promise<void> {
    return this.queue.forUser(id, async () => {
      const record = await this.users.find(id);
      if (record === null || record.gen !== gen) return;
      await this.credentials.put(strategy, record, stored, 'present');
    });
  }

  private parse(body: JsonObject): UserBody {
    return parseUserBody(body, this.secrets.names);
  }

  private async change(
    id: string,
    body: UserBody,
    actor: Actor,
    change: (record: UserRecord) => UserChange,
  ): Promise<UserRecord> {
    const present = await this.users.get(id);
    assertNoCredentialsByKey(body, actor);
    if (body.profileIds !== undefined) {
      await this.profiles.assertExist(body.profileIds);
      await assertProfilesWithinKey(body.profileIds, present.profileIds, actor, this.profiles);
    }
    const prepared = await this.secrets.prepare(body.secrets, id, actor);
    const record = await this.locked(async (isAlone) => {
      if (body.profileIds !== undefined) await this.profiles.assertExist(body.profileIds);
      return this.write(id, prepared, actor, { change, isAlone });
    });
    return this.changed(record, prepared.size > 0, actor);
  }

  private async changed(record: UserRecord, hasNewCredentials: boolean, actor: Actor): Promise<UserRecord> {
    const { id, keptTokenId } = record;
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    if (hasNewCredentials) {
      const reason = 'credentials_changed';
      this.audit.tokensRevoked({ userId: id, exceptTokenId: keptTokenId, reason });
    }
    this.audit.userChanged({ id, change: 'updated', by: actor.userId });
    return record;
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

  private write(
    id: string,
    prepared: ReadonlyMap<string, JsonObject | null>,
    actor: Actor,
    how: ChangeRun,
  ): Promise<UserRecord> {
    return this.queue.forUser(id, () =>
      // `put` dropped the cached user when it lost the race against another node.
      retryOnConflict(async () => this.writeOnce(await this.users.get(id), prepared, actor, how)),
    );
  }

  private async writeOnce(
    record: UserRecord,
    prepared: ReadonlyMap<string, JsonObject | null>,
    actor: Actor,
    { change, isAlone, keepsTokens = prepared.size === 0 }: ChangeRun,
  ): Promise<UserRecord> {
    const { id, suid } = record;
    const { profileIds, content, selfWritten } = change(record);
    if (isAdministrator(record) && !isAdministrator({ profileIds })) {
      await this.assertAnotherAdministrator(id, isAlone);
    }
    const isSame =
      isDeepStrictEqual(profileIds, record.profileIds) &&
      isDeepStrictEqual(content, record.content) &&
      isDeepStrictEqual(selfWritten, record.selfWritten);
    if (isSame && prepared.size === 0 && keepsTokens) return record;
    const tokens = keepsTokens
      ? { gen: record.gen, keptTokenId: record.keptTokenId }
      : { gen: newGen(), keptTokenId: actor.userId === id ? actor.tokenId : null };
    const parts = { id, suid, profileIds, content, selfWritten, ...tokens };
    const operations = this.credentials.operations(parts, prepared);
    return this.users.save(parts, record.version, operations, actor.userId === id);
  }

  private async assertAnotherAdministrator(userId: string, isAlone: boolean): Promise<void> {
    if (!isAlone) throw new MustBeAlone();
    const count = await this.users.countWithProfile(ADMIN_PROFILE);
    if (count <= 1) throw securityErrors.last_administrator({ userId });
  }
}

function unchanged({ profileIds, content, selfWritten }: UserRecord): UserChange {
  return { profileIds, content, selfWritten };
}

function invalid(reason: string) {
  return securityErrors.invalid_user({ reason });
}
