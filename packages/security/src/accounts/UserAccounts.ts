import {
  ID_GENERATOR,
  securityErrors,
  type IdGenerator,
  type JsonObject,
  type NewIdentityUser,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { ANONYMOUS_ID, assertAccountId } from '../assertAccountId.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { assertProfilesWithinKey } from '../roles/assertWithinKey.js';
import { ProfileStore } from '../roles/ProfileStore.js';
import { ADMIN_PROFILE } from '../rights/BUILT_IN_ROLES.js';
import type { Owner } from '../users/CredentialStore.js';
import { assertOwnProperties, mergeContent, parseUserBody, requireProfiles, type UserBody } from './parseUserBody.js';
import { SecretProperties } from './SecretProperties.js';
import type { UserRecord } from '../users/UserRecord.js';
import { propertyNameOf } from '../rights/userClaims.js';
import { UserStore } from '../users/UserStore.js';
import { UserWriter, type UserChange } from './UserWriter.js';

/** A user after a write. */
export interface WrittenUser {
  readonly record: UserRecord;
  readonly isNew: boolean;
}

/** Users with their rules (SEC-40): creates and changes them as bodies of requests say. */
@scoped(Scope.ContainerScoped)
export class UserAccounts {
  constructor(
    @inject(UserWriter) private readonly writer: UserWriter,
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(SecretProperties) private readonly secrets: SecretProperties,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /**
   * createUser.
   * @throws security.invalid_user, security.invalid_id (400), security.user_exists, security.suid_taken (409)
   */
  create(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    return this.insertGiven(id ?? this.ids.next(), parsed, requireProfiles(parsed), actor);
  }

  /** createRestrictedUser: profiles come from the configuration. */
  createRestricted(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    assertOwnProperties(parsed, 'createRestrictedUser', this.config.protectedProperties);
    return this.insert(id ?? this.ids.next(), parsed, this.config.restrictedProfileIds, actor, true);
  }

  /** A user with profile `admin`. */
  createAdministrator(id: string | undefined, body: JsonObject, actor: Actor): Promise<UserRecord> {
    const parsed = this.parse(body);
    assertOwnProperties(parsed, 'createFirstAdmin', []);
    return this.insert(id ?? this.ids.next(), parsed, [ADMIN_PROFILE], actor);
  }

  /**
   * Creates a user that logs in with an identity and needs no password (SEC-42).
   * @throws security.invalid_user (400), security.user_exists (409)
   */
  async createForIdentity({ id, suid }: Owner, { profileIds, content: given }: NewIdentityUser): Promise<UserRecord> {
    const parsed = this.parse(given);
    // The identity provider is their author, so protected properties are allowed.
    assertOwnProperties(parsed, 'a strategy', []);
    const [secret] = parsed.secrets.keys();
    if (secret !== undefined) throw invalid(`${secret} can't be given to a user who logs in by an identity provider`);
    const { content } = parsed;
    const origin = { credentials: new Map(), hasChosenSuid: false, isSelfMade: true };
    return this.writer.insert({ id, profileIds, suid, content, selfWritten: [], ...origin }, ANONYMOUS_ID);
  }

  /** createOrReplaceUser: keeps an existing suid and, without a password, existing credentials. */
  async createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<WrittenUser> {
    const parsed = this.parse(body);
    const profileIds = requireProfiles(parsed);
    assertAccountId('user', id);
    if ((await this.users.find(id)) === null) {
      return { record: await this.insertGiven(id, parsed, profileIds, actor), isNew: true };
    }
    const replace = (): UserChange => ({ profileIds, content: parsed.content, selfWritten: [] });
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

  private parse(body: JsonObject): UserBody {
    return parseUserBody(body, this.secrets.names);
  }

  /** A user with profiles that the caller has chosen. */
  private async insertGiven(
    id: string,
    body: UserBody,
    profileIds: readonly string[],
    actor: Actor,
  ): Promise<UserRecord> {
    assertNoCredentialsByKey(body, actor);
    await assertProfilesWithinKey(profileIds, [], actor, this.profiles);
    return this.insert(id, body, profileIds, actor);
  }

  /** @param id validated here */
  private async insert(
    id: string,
    { secrets, suid: chosen, content }: UserBody,
    profileIds: readonly string[],
    actor: Actor,
    isSelfMade = false,
  ): Promise<UserRecord> {
    assertAccountId('user', id);
    this.secrets.assertComplete(secrets);
    // Checked again under the lock; checking here avoids computing a hash in vain.
    await this.writer.assertInsertable(id, profileIds);
    const credentials = await this.secrets.prepare(secrets, id, actor);
    const suid = chosen ?? this.ids.next();
    const selfWritten = isSelfMade ? Object.keys(content).map(propertyNameOf) : [];
    const origin = { credentials, hasChosenSuid: chosen !== undefined, isSelfMade };
    return this.writer.insert({ id, profileIds, suid, content, selfWritten, ...origin }, actor.userId);
  }

  private async change(
    id: string,
    body: UserBody,
    actor: Actor,
    change: (record: UserRecord) => UserChange,
  ): Promise<UserRecord> {
    const present = await this.users.get(id);
    const { profileIds } = body;
    assertNoCredentialsByKey(body, actor);
    if (profileIds !== undefined) {
      await this.profiles.assertExist(profileIds);
      await assertProfilesWithinKey(profileIds, present.profileIds, actor, this.profiles);
    }
    const credentials = await this.secrets.prepare(body.secrets, id, actor);
    return this.writer.change(id, { actor, credentials, profileIds, change });
  }
}

/**
 * A login outlives the key that made it. Sign-up (`createRestricted`) is exempt: its profiles come from the configuration.
 * @throws security.api_key_not_accepted (403)
 */
function assertNoCredentialsByKey({ secrets, suid }: UserBody, { key }: Actor): void {
  if (key === null || (secrets.size === 0 && suid === undefined)) return;
  throw securityErrors.api_key_not_accepted({ what: 'A change of credentials' });
}

function invalid(reason: string) {
  return securityErrors.invalid_user({ reason });
}
