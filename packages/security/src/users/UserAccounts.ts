/*
 * Users with the rules around them (decisions.md section 7, Users).
 *
 * Order of writes: credentials go before the user, in one call of the engine. Who logs in reads `gen` before the
 * credentials, so whoever saw the old credentials saw the old `gen`, and the token made of it is dead once the change is
 * in. Changes of one user run one after the other; between nodes the version decides, and the loser tries again.
 *
 * What remains between nodes (not within one): two creations with the same `suid` at the same moment both succeed and
 * the later one has the credentials; two calls that demote the last two administrators may both succeed.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  documentErrors,
  securityErrors,
  type JsonObject,
  type WriteOperation,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { assertAccountId } from '../assertAccountId.js';
import { Audit } from '../Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { FirstAdminMarker } from '../FirstAdminMarker.js';
import { IdGenerator } from '../IdGenerator.js';
import { ProfileStore } from '../profiles/ProfileStore.js';
import { ADMIN_PROFILE } from '../roles/BUILT_IN_ROLES.js';
import { isError } from '../store/InternalCollection.js';
import { KeyedQueue } from '../store/KeyedQueue.js';
import { StructureLock } from '../store/StructureLock.js';
import { CredentialStore } from './CredentialStore.js';
import { mergeContent, parseUserBody, type UserBody } from './parseUserBody.js';
import { SecretProperties, type PreparedCredentials } from './SecretProperties.js';
import { isAdministrator, type UserRecord } from './UserRecord.js';
import { UserStore } from './UserStore.js';

const GEN_BYTES = 16;
const MAX_TRIES = 5;

/** A user that was written. */
export interface WrittenUser {
  readonly record: UserRecord;
  readonly isNew: boolean;
}

/** What a change makes of a user. */
interface UserChange {
  readonly profileIds: readonly string[];
  readonly content: JsonObject;
}

/** Creates, changes and deletes users. */
@injectable()
export class UserAccounts {
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(SecretProperties) private readonly secrets: SecretProperties,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(IdGenerator) private readonly ids: IdGenerator,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /**
   * createUser.
   * @throws security.invalid_user, security.invalid_id (400), security.user_exists, security.suid_taken (409)
   */
  create(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    return this.insert(id ?? this.ids.next(), parsed, requireProfiles(parsed), actor);
  }

  /** createRestrictedUser: the profiles come from the configuration. */
  createRestricted(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    refuse(parsed, 'createRestrictedUser');
    return this.insert(id ?? this.ids.next(), parsed, this.config.restrictedProfileIds, actor);
  }

  /** A user with profile `admin`. */
  createAdministrator(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    refuse(parsed, 'createFirstAdmin');
    return this.insert(id ?? this.ids.next(), parsed, [ADMIN_PROFILE], actor);
  }

  /** createOrReplaceUser: keeps the suid there is, and without a password the credentials there are. */
  async createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<WrittenUser> {
    const parsed = this.parse(body);
    const profileIds = requireProfiles(parsed);
    assertAccountId('user', id);
    if ((await this.users.find(id)) === null) {
      return { record: await this.insert(id, parsed, profileIds, actor), isNew: true };
    }
    const replace = (): UserChange => ({ profileIds, content: parsed.content });
    return { record: await this.change(id, parsed, actor, replace), isNew: false };
  }

  /** updateUser: free properties merge deeply. @throws security.user_not_found (404), security.last_administrator (412) */
  update(id: string, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    if (parsed.suid !== undefined) throw invalid("suid can't be changed");
    return this.change(id, parsed, actor, (record) => ({
      profileIds: parsed.profileIds ?? record.profileIds,
      content: mergeContent(record.content, parsed.content),
    }));
  }

  /** updateSelf: nobody changes their own identity or profiles. */
  async updateSelf(body: JsonObject, actor: Actor): Promise<UserRecord> {
    refuse(this.parse(body), 'updateSelf');
    return this.update(actor.userId, body, actor);
  }

  /** @throws security.user_not_found (404), security.last_administrator (412) */
  async delete(id: string, actor: Actor): Promise<void> {
    await this.lock.exclude(async () => {
      const record = await this.users.get(id);
      if (isAdministrator(record)) await this.assertAnotherAdministrator(id);
      // The user first: its tokens end with it, and credentials without a user open nothing.
      if (!(await this.users.delete(id))) throw securityErrors.user_not_found({ userId: id });
      await this.credentials.deleteAll(record.suid);
    });
    this.audit.tokensRevoked({ userId: id, exceptTokenId: null, reason: 'user_deleted' });
    this.audit.userChanged({ id, change: 'deleted', by: actor.userId });
  }

  /**
   * Replaces what one strategy keeps for a user, or removes it (null), and revokes the user's tokens but the actor's.
   * @param prepared what `StrategyCredentials.prepare` made
   */
  changeCredentials(
    id: string,
    strategy: string,
    prepared: JsonObject | null,
    actor: Actor,
  ): Promise<UserRecord> {
    const same = ({ profileIds, content }: UserRecord): UserChange => ({ profileIds, content });
    return this.lock.share(() =>
      this.write(id, new Map([[strategy, prepared]]), actor, same).then((record) =>
        this.changed(record, true, actor),
      ),
    );
  }

  /**
   * Other credentials for the same secret, such as a hash that costs more: revokes nothing.
   * @param gen of the user when the secret was checked; where it is another one now, nothing is written
   */
  upgradeCredentials(id: string, strategy: string, stored: JsonObject, gen: string): Promise<void> {
    return this.queue.run(`id ${id}`, async () => {
      const record = await this.users.find(id);
      if (record === null || record.gen !== gen) return;
      await this.credentials.put(strategy, record, stored, 'present');
    });
  }

  private parse(body: JsonObject): UserBody {
    return parseUserBody(body, this.secrets.names);
  }

  private async insert(
    id: string,
    body: UserBody,
    profileIds: readonly string[],
    actor: Actor,
  ): Promise<UserRecord> {
    assertAccountId('user', id);
    this.secrets.assertComplete(body.secrets);
    // Both are looked at again under the lock; here they save the cost of a hash.
    await this.assertProfilesExist(profileIds);
    await this.assertAbsent(id);
    const prepared = await this.secrets.prepare(body.secrets, id);
    const suid = body.suid ?? this.ids.next();
    const record = await this.lock.share(() =>
      this.queue.run(`id ${id}`, () =>
        this.queue.run(`suid ${suid}`, async () => {
          await this.assertProfilesExist(profileIds);
          await this.assertAbsent(id);
          if (body.suid !== undefined) await this.freeSuid(suid);
          const { content } = body;
          const parts = { id, profileIds, suid, content, gen: newGen(), keptTokenId: null };
          return this.users.put(parts, 'absent', this.putOperations(parts, prepared));
        }),
      ),
    );
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    this.audit.userChanged({ id, change: 'created', by: actor.userId });
    return record;
  }

  /** A suid given by a caller must be nobody's; what a crash left under it goes. */
  private async freeSuid(suid: string): Promise<void> {
    if ((await this.users.countWithSuid(suid)) > 0) throw securityErrors.suid_taken({});
    await this.credentials.deleteAll(suid);
  }

  private async change(
    id: string,
    body: UserBody,
    actor: Actor,
    change: (record: UserRecord) => UserChange,
  ): Promise<UserRecord> {
    await this.users.get(id);
    if (body.profileIds !== undefined) await this.assertProfilesExist(body.profileIds);
    const prepared = await this.secrets.prepare(body.secrets, id);
    // Profiles change alone: they decide who the last administrator is.
    const run = <T>(task: () => Promise<T>) =>
      body.profileIds === undefined ? this.lock.share(task) : this.lock.exclude(task);
    const record = await run(async () => {
      if (body.profileIds !== undefined) await this.assertProfilesExist(body.profileIds);
      return this.write(id, prepared, actor, change);
    });
    return this.changed(record, prepared.size > 0, actor);
  }

  private async changed(
    record: UserRecord,
    hasNewCredentials: boolean,
    actor: Actor,
  ): Promise<UserRecord> {
    const { id, keptTokenId } = record;
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    if (hasNewCredentials) {
      const reason = 'credentials_changed';
      this.audit.tokensRevoked({ userId: id, exceptTokenId: keptTokenId, reason });
    }
    this.audit.userChanged({ id, change: 'updated', by: actor.userId });
    return record;
  }

  private write(
    id: string,
    prepared: ReadonlyMap<string, JsonObject | null>,
    actor: Actor,
    change: (record: UserRecord) => UserChange,
  ): Promise<UserRecord> {
    return this.queue.run(`id ${id}`, async () => {
      for (let tries = 1; ; tries++) {
        const record = await this.users.get(id);
        try {
          return await this.writeOnce(record, prepared, actor, change(record));
        } catch (error) {
          // Another node was faster: `put` has dropped what was in memory.
          const isLost = isError(error, documentErrors.version_conflict);
          if (!isLost || tries === MAX_TRIES) throw error;
        }
      }
    });
  }

  private async writeOnce(
    record: UserRecord,
    prepared: ReadonlyMap<string, JsonObject | null>,
    actor: Actor,
    { profileIds, content }: UserChange,
  ): Promise<UserRecord> {
    const { id, suid } = record;
    if (isAdministrator(record) && !isAdministrator({ profileIds })) {
      await this.assertAnotherAdministrator(id);
    }
    const isSame =
      isDeepStrictEqual(profileIds, record.profileIds) &&
      isDeepStrictEqual(content, record.content);
    if (isSame && prepared.size === 0) return record;
    const tokens =
      prepared.size === 0
        ? { gen: record.gen, keptTokenId: record.keptTokenId }
        : { gen: newGen(), keptTokenId: actor.userId === id ? actor.tokenId : null };
    const parts = { id, suid, profileIds, content, ...tokens };
    return this.users.put(parts, record.version, this.putOperations(parts, prepared));
  }

  private putOperations(
    owner: { readonly id: string; readonly suid: string },
    prepared: PreparedCredentials | ReadonlyMap<string, JsonObject | null>,
  ): readonly WriteOperation[] {
    return [...prepared].map(([strategy, stored]) =>
      stored === null
        ? this.credentials.deleteOperation(strategy, owner.suid)
        : this.credentials.putOperation(strategy, owner, stored, 'any'),
    );
  }

  private async assertProfilesExist(profileIds: readonly string[]): Promise<void> {
    for (const id of profileIds) {
      if ((await this.profiles.find(id)) !== null) continue;
      throw invalid(`no profile ${JSON.stringify(id.slice(0, 100))}`);
    }
  }

  private async assertAbsent(id: string): Promise<void> {
    if ((await this.users.find(id)) !== null) throw securityErrors.user_exists({ userId: id });
  }

  private async assertAnotherAdministrator(userId: string): Promise<void> {
    const count = await this.users.countWithProfile(ADMIN_PROFILE);
    if (count <= 1) throw securityErrors.last_administrator({ userId });
  }
}

/** @throws security.invalid_user (400) where the body names what the server alone decides */
function refuse({ profileIds, suid }: UserBody, action: string): void {
  if (profileIds !== undefined) throw invalid(`profileIds can't be given to ${action}`);
  if (suid !== undefined) throw invalid(`suid can't be given to ${action}`);
}

function requireProfiles({ profileIds }: UserBody): readonly string[] {
  if (profileIds !== undefined) return profileIds;
  throw invalid('profileIds is missing: expected a list of profile identifiers');
}

function newGen(): string {
  return randomBytes(GEN_BYTES).toString('base64url');
}

function invalid(reason: string) {
  return securityErrors.invalid_user({ reason });
}
