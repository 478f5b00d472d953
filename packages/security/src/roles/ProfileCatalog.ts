import { ACTIONS, LOGGER, securityErrors, type ActionTable, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { assertPoliciesWithinKey } from './assertWithinKey.js';
import { RightsTable } from '../RightsTable.js';
import { RoleStore } from './RoleStore.js';
import { RecordCatalog } from '../store/RecordCatalog.js';
import { StructureLock } from '../store/StructureLock.js';
import { UserStore } from '../users/UserStore.js';
import type { Profile } from './Profile.js';
import { ProfileStore } from './ProfileStore.js';
import { unrestrictedActions } from './unrestrictedActions.js';

const MAX_NAMED_ACTIONS = 20;

/** Profiles with their rules: their roles exist, and a profile that a user has can't be deleted. */
@scoped(Scope.ContainerScoped)
export class ProfileCatalog extends RecordCatalog<Profile> {
  constructor(
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(UserStore) private readonly users: UserStore,
    @inject(RightsTable) rights: RightsTable,
    @inject(StructureLock) lock: StructureLock,
    @inject(Audit) audit: Audit,
    @inject(ACTIONS) private readonly actions: ActionTable,
    @inject(LOGGER) log: Logger,
  ) {
    super(profiles, { rights, lock, audit, log });
  }

  protected override assertWithinKey({ policies }: Profile, actor: Actor): Promise<void> {
    return assertPoliciesWithinKey(policies, actor, this.profiles);
  }

  protected override async assertUnused(id: string): Promise<void> {
    const userCount = await this.users.countWithProfile(id);
    if (userCount > 0) throw securityErrors.profile_in_use({ profileId: id, userCount });
  }

  /** `restrictedTo` appears to limit everything but doesn't: `security.createUser` gives any profile to any user. */
  protected override async warningsOf({ policies }: Profile): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const policy of policies) {
      if (policy.restrictedTo === null) continue;
      const found = await this.roles.find(policy.roleId);
      if (found === null) continue;
      const names = unrestrictedActions(policy, found.content, this.actions);
      if (names.length === 0) continue;
      const role = JSON.stringify(policy.roleId.slice(0, 100));
      warnings.push(
        `restrictedTo does not limit ${list(names)} of role ${role}: these actions name no index, so users with this profile may run them without restriction`,
      );
    }
    return warnings;
  }

  /** @throws security.invalid_profile (400) for a role that doesn't exist */
  override async assertReferences({ policies }: Profile): Promise<void> {
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
