import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from './Actor.js';
import { ProfileCatalog } from './roles/ProfileCatalog.js';
import { parseProfile } from './roles/parseProfile.js';
import { ProfileStore } from './roles/ProfileStore.js';
import { parseRole } from './rights/parseRole.js';
import { BUILT_IN_IDS, BUILT_IN_ROLES } from './rights/BUILT_IN_ROLES.js';
import { RoleCatalog } from './roles/RoleCatalog.js';
import { RoleStore } from './roles/RoleStore.js';

/** The roles and profiles `admin`, `default` and `anonymous`. */
@scoped(Scope.ContainerScoped)
export class BuiltInAccounts {
  constructor(
    @inject(RoleStore) private readonly roleStore: RoleStore,
    @inject(ProfileStore) private readonly profileStore: ProfileStore,
    @inject(RoleCatalog) private readonly roles: RoleCatalog,
    @inject(ProfileCatalog) private readonly profiles: ProfileCatalog,
  ) {}

  /** Creates the collections and the missing accounts; existing ones keep the administrators' changes. */
  async ensure(): Promise<void> {
    await Promise.all([this.roleStore.ensure(), this.profileStore.ensure()]);
    // In parallel, so that the engine writes them in one commit. The server accepts no requests yet.
    await Promise.all(BUILT_IN_IDS.flatMap((id) => [this.ensureRole(id), this.ensureProfile(id)]));
  }

  /** Restores roles and profiles to their built-in form. */
  async reset(actor: Actor, ids: readonly (keyof typeof BUILT_IN_ROLES)[] = ['default', 'anonymous']): Promise<void> {
    for (const id of ids) {
      await this.roles.createOrReplace(id, BUILT_IN_ROLES[id], actor);
      await this.profiles.createOrReplace(id, policyOf(id), actor);
    }
  }

  private async ensureRole(id: keyof typeof BUILT_IN_ROLES): Promise<void> {
    if ((await this.roleStore.find(id)) !== null) return;
    await this.roleStore.put(id, parseRole(id, BUILT_IN_ROLES[id]), 'any');
  }

  private async ensureProfile(id: string): Promise<void> {
    if ((await this.profileStore.find(id)) !== null) return;
    await this.profileStore.put(id, parseProfile(policyOf(id)), 'any');
  }
}

function policyOf(roleId: string) {
  return { policies: [{ roleId }] };
}
