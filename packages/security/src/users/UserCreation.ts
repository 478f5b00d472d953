import { securityErrors, type JsonObject, type NewIdentityUser } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { ANONYMOUS_ID, assertAccountId } from '../assertAccountId.js';
import { Audit } from '../Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { FirstAdminMarker } from '../FirstAdminMarker.js';
import { IdGenerator } from '../IdGenerator.js';
import { ApiKeyDeletion } from '../keys/ApiKeyDeletion.js';
import { assertProfilesWithinKey } from '../keys/assertWithinKey.js';
import { ProfileStore } from '../profiles/ProfileStore.js';
import { ADMIN_PROFILE } from '../roles/BUILT_IN_ROLES.js';
import { StructureLock } from '../store/StructureLock.js';
import { CredentialStore, type Owner } from './CredentialStore.js';
import { newGen } from './newGen.js';
import { assertOwnProperties, parseUserBody, requireProfiles, type UserBody } from './parseUserBody.js';
import { SecretProperties } from './SecretProperties.js';
import { UserQueue } from './UserQueue.js';
import { isAdministrator, propertyNameOf, type UserRecord } from './UserRecord.js';
import { UserStore } from './UserStore.js';

/** Creates users. See `UserAccounts` for the order of writes and concurrency between nodes. */
@scoped(Scope.ContainerScoped)
export class UserCreation {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ApiKeyDeletion) private readonly keys: ApiKeyDeletion,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(SecretProperties) private readonly secrets: SecretProperties,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(IdGenerator) private readonly ids: IdGenerator,
    @inject(UserQueue) private readonly queue: UserQueue,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /**
   * createUser.
   * @throws security.invalid_user, security.invalid_id (400), security.user_exists, security.suid_taken (409)
   */
  create(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = parseUserBody(body, this.secrets.names);
    return this.insertGiven(id ?? this.ids.next(), parsed, requireProfiles(parsed), actor);
  }

  /** A user with profiles that the caller has chosen. @param id validated here */
  async insertGiven(id: string, body: UserBody, profileIds: readonly string[], actor: Actor): Promise<UserRecord> {
    assertNoCredentialsByKey(body, actor);
    await assertProfilesWithinKey(profileIds, [], actor, this.profiles);
    return this.insert(id, body, profileIds, actor);
  }

  /** createRestrictedUser: profiles come from the configuration. */
  createRestricted(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = parseUserBody(body, this.secrets.names);
    assertOwnProperties(parsed, 'createRestrictedUser', this.config.protectedProperties);
    const { restrictedProfileIds } = this.config;
    return this.insert(id ?? this.ids.next(), parsed, restrictedProfileIds, actor, true);
  }

  /** A user with profile `admin`. */
  createAdministrator(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = parseUserBody(body, this.secrets.names);
    assertOwnProperties(parsed, 'createFirstAdmin', []);
    return this.insert(id ?? this.ids.next(), parsed, [ADMIN_PROFILE], actor);
  }

  /**
   * Creates a user that logs in with an identity and needs no password (SEC-42).
   * @throws security.invalid_user (400), security.user_exists (409)
   */
  async createForIdentity(owner: Owner, user: NewIdentityUser): Promise<UserRecord> {
    const { id, suid } = owner;
    const { profileIds } = user;
    const parsed = parseUserBody(user.content, this.secrets.names);
    // The identity provider is their author, so protected properties are allowed.
    assertOwnProperties(parsed, 'a strategy', []);
    const [secret] = parsed.secrets.keys();
    if (secret !== undefined) {
      const reason = `${secret} can't be given to a user who logs in by an identity provider`;
      throw securityErrors.invalid_user({ reason });
    }
    const record = await this.lock.share(() =>
      this.queue.forUser(id, async () => {
        await this.profiles.assertExist(profileIds);
        await this.assertAbsent(id);
        const { content } = parsed;
        const parts = {
          id,
          profileIds,
          suid,
          content,
          selfWritten: [],
          gen: newGen(),
          keptTokenId: null,
        };
        return this.users.save(parts, 'absent', [], true);
      }),
    );
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    this.audit.userChanged({ id, change: 'created', by: ANONYMOUS_ID });
    return record;
  }

  /** @param id validated here */
  async insert(
    id: string,
    body: UserBody,
    profileIds: readonly string[],
    actor: Actor,
    isSelfMade = false,
  ): Promise<UserRecord> {
    assertAccountId('user', id);
    this.secrets.assertComplete(body.secrets);
    // Both are checked again under the lock; checking here avoids computing a hash in vain.
    await this.profiles.assertExist(profileIds);
    await this.assertAbsent(id);
    const prepared = await this.secrets.prepare(body.secrets, id, actor);
    const suid = body.suid ?? this.ids.next();
    const record = await this.lock.share(() =>
      this.queue.forUser(id, () =>
        this.queue.forSuid(suid, async () => {
          await this.profiles.assertExist(profileIds);
          await this.assertAbsent(id);
          if (body.suid !== undefined) {
            await this.freeSuid(suid);
            // Keys left by a crash are those of the earlier user of this `_id` and suid.
            await this.keys.deleteAll(id, actor.userId);
          }
          const { content } = body;
          const selfWritten: readonly string[] = isSelfMade ? Object.keys(content).map(propertyNameOf) : [];
          const parts = {
            id,
            profileIds,
            suid,
            content,
            selfWritten,
            gen: newGen(),
            keptTokenId: null,
          };
          const operations = this.credentials.operations(parts, prepared);
          return this.users.save(parts, 'absent', operations, isSelfMade);
        }),
      ),
    );
    if (isAdministrator(record)) await this.firstAdmin.confirm();
    this.audit.userChanged({ id, change: 'created', by: actor.userId });
    return record;
  }

  /** A suid chosen by the caller must be unused; credentials left under it by a crash are removed. */
  private async freeSuid(suid: string): Promise<void> {
    if ((await this.users.countWithSuid(suid)) > 0) throw securityErrors.suid_taken({});
    await this.credentials.deleteAll(suid);
  }

  private async assertAbsent(id: string): Promise<void> {
    if ((await this.users.find(id)) !== null) throw securityErrors.user_exists({ userId: id });
  }
}

/**
 * A login outlives the key that made it. Sign-up (`createRestricted`) is exempt: its profiles come from the configuration.
 * @throws security.api_key_not_accepted (403)
 */
export function assertNoCredentialsByKey({ secrets, suid }: UserBody, { key }: Actor): void {
  if (key === null || (secrets.size === 0 && suid === undefined)) return;
  throw securityErrors.api_key_not_accepted({ what: 'A change of credentials' });
}
