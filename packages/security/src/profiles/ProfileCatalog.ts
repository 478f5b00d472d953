import { type JsonObject, KeyedQueue, securityErrors } from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import { RightsTable } from '../RightsTable.js';
import { BUILT_IN_IDS } from '../roles/BUILT_IN_ROLES.js';
import { RoleStore } from '../roles/RoleStore.js';
import { retryOnConflict } from '../store/retryOnConflict.js';
import { StructureLock } from '../store/StructureLock.js';
import { UserStore } from '../users/UserStore.js';
import { ProfileStore, type StoredProfile } from './ProfileStore.js';

/** Profiles with the rules around them: their roles exist, and nobody has a profile that is deleted. */
@injectable()
export class ProfileCatalog {
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(ProfileStore) private readonly store: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(UserStore) private readonly users: UserStore,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
  ) {}

  /** @throws security.invalid_profile, security.invalid_id (400), security.profile_exists (409) */
  create(id: string, body: JsonObject, actor: Actor): Promise<StoredProfile> {
    return this.change(id, body, actor, (policies) => this.store.create(id, policies));
  }

  createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<StoredProfile> {
    return this.change(id, body, actor, (policies) => this.store.createOrReplace(id, policies));
  }

  /** Replaces the policies. @throws security.profile_not_found (404), security.invalid_profile (400) */
  update(id: string, body: JsonObject, actor: Actor): Promise<StoredProfile> {
    return this.change(id, body, actor, (policies) =>
      retryOnConflict(() => this.store.update(id, policies)),
    );
  }

  /** @throws security.built_in, security.profile_in_use (412), security.profile_not_found (404) */
  async delete(id: string, actor: Actor): Promise<void> {
    if (BUILT_IN_IDS.some((each) => each === id)) {
      throw securityErrors.built_in({ what: 'profile', id });
    }
    await this.lock.exclude(async () => {
      await this.store.get(id);
      const userCount = await this.users.countWithProfile(id);
      if (userCount > 0) throw securityErrors.profile_in_use({ profileId: id, userCount });
      await this.store.delete(id);
    });
    this.rights.dropAll();
    this.audit.profileChanged({ id, change: 'deleted', by: actor.userId });
  }

  private async change(
    id: string,
    body: JsonObject,
    actor: Actor,
    write: (policies: readonly Policy[]) => Promise<StoredProfile>,
  ): Promise<StoredProfile> {
    const policies = parsePolicies(body);
    const stored = await this.lock.share(async () => {
      await this.assertRolesExist(policies);
      return this.queue.run(id, () => write(policies));
    });
    this.rights.dropAll();
    const change = stored.isNew === true ? 'created' : 'updated';
    this.audit.profileChanged({ id, change, by: actor.userId });
    return stored;
  }

  private async assertRolesExist(policies: readonly Policy[]): Promise<void> {
    for (const roleId of new Set(policies.map((policy) => policy.roleId))) {
      if ((await this.roles.find(roleId)) !== null) continue;
      const reason = `no role ${JSON.stringify(roleId.slice(0, 100))}`;
      throw securityErrors.invalid_profile({ reason });
    }
  }
}
