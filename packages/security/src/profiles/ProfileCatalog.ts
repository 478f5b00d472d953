import {
  ACTIONS,
  KeyedQueue,
  retryOnConflict,
  securityErrors,
  type ActionTable,
  type JsonObject,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import { RightsTable } from '../RightsTable.js';
import { BUILT_IN_IDS } from '../roles/BUILT_IN_ROLES.js';
import { RoleStore } from '../roles/RoleStore.js';
import { StructureLock } from '../store/StructureLock.js';
import { UserStore } from '../users/UserStore.js';
import { ProfileStore, type StoredProfile } from './ProfileStore.js';
import { unrestrictedActions } from './unrestrictedActions.js';

const MAX_NAMED_ACTIONS = 20;

/** Profiles with their rules: their roles exist, and a profile in use can't be deleted. */
@scoped(Scope.ContainerScoped)
export class ProfileCatalog {
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(ProfileStore) private readonly store: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(UserStore) private readonly users: UserStore,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
    @inject(ACTIONS) private readonly actions: ActionTable,
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
    let warnings: readonly string[] = [];
    const stored = await this.lock.share(async () => {
      await this.assertRolesExist(policies);
      warnings = await this.warningsOf(policies);
      return this.queue.run(id, () => write(policies));
    });
    this.rights.dropAll();
    const change = stored.isNew === true ? 'created' : 'updated';
    this.audit.profileChanged({ id, change, by: actor.userId });
    return warnings.length === 0 ? stored : { ...stored, warnings };
  }

  /** `restrictedTo` appears to limit everything but doesn't: `security.createUser` gives any profile to any user. */
  private async warningsOf(policies: readonly Policy[]): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const policy of policies) {
      if (policy.restrictedTo === null) continue;
      const found = await this.roles.find(policy.roleId);
      if (found === null) continue;
      const names = unrestrictedActions(policy, found.role, this.actions);
      if (names.length === 0) continue;
      const role = JSON.stringify(policy.roleId.slice(0, 100));
      warnings.push(
        `restrictedTo does not limit ${list(names)} of role ${role}: these actions name no index, so users with this profile may run them without restriction`,
      );
    }
    return warnings;
  }

  private async assertRolesExist(policies: readonly Policy[]): Promise<void> {
    for (const roleId of new Set(policies.map((policy) => policy.roleId))) {
      if ((await this.roles.find(roleId)) !== null) continue;
      const reason = `no role ${JSON.stringify(roleId.slice(0, 100))}`;
      throw securityErrors.invalid_profile({ reason });
    }
  }
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED_ACTIONS).join(', ');
  const moreCount = names.length - MAX_NAMED_ACTIONS;
  return moreCount > 0 ? `${shown} and ${moreCount} more actions` : shown;
}
