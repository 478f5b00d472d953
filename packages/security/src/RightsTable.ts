/*
 * Caches compiled rights by set of profiles. Compiling reads profiles and roles and takes far longer than deciding,
 * so the result is kept until any profile or role changes. Changes are rare, so the roles that a set depends on
 * aren't tracked.
 */
import { INTERNAL_INDEX, isThenable, type MaybePromise } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ProfileStore } from './profiles/ProfileStore.js';
import { compileRights } from './rights/compileRights.js';
import type { Policy } from './rights/Policy.js';
import type { Rights } from './rights/Rights.js';
import type { Role } from './rights/Role.js';
import { RoleStore } from './roles/RoleStore.js';

const MAX_SETS = 10_000;

interface Grant {
  readonly role: Role;
  readonly restrictedTo: Policy['restrictedTo'];
}

/** Looks up the rights of users by their profiles. One per server. */
@scoped(Scope.ContainerScoped)
export class RightsTable {
  private readonly compiled = new Map<string, Rights>();
  private epoch = 0;

  constructor(
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
  ) {}

  /** Returns a value if it is cached. Profiles and roles that don't exist grant nothing. */
  of(profileIds: readonly string[]): MaybePromise<Rights> {
    // Ids contain no control characters.
    const key = profileIds.length === 1 ? (profileIds[0] ?? '') : profileIds.join('\0');
    return this.compiled.get(key) ?? this.compile(key, profileIds);
  }

  /** The rights granted by some policies. */
  async ofPolicies(policies: readonly Policy[]): Promise<Rights> {
    return compileRights(await this.grantsOf(policies), this.internalIndex);
  }

  /** Clears the cache after a change of a profile or role. */
  dropAll(): void {
    this.epoch++;
    this.compiled.clear();
  }

  private async compile(key: string, profileIds: readonly string[]): Promise<Rights> {
    const { epoch } = this;
    const grants: Grant[] = [];
    for (const id of new Set(profileIds)) {
      let profile = this.profiles.find(id);
      if (isThenable(profile)) profile = await profile;
      if (profile !== null) grants.push(...(await this.grantsOf(profile.content)));
    }
    const rights = compileRights(grants, this.internalIndex);
    if (epoch === this.epoch) this.keep(key, rights);
    return rights;
  }

  private async grantsOf(policies: readonly Policy[]): Promise<readonly Grant[]> {
    const grants: Grant[] = [];
    for (const { roleId, restrictedTo } of policies) {
      let found = this.roles.find(roleId);
      if (isThenable(found)) found = await found;
      if (found !== null) grants.push({ role: found.content, restrictedTo });
    }
    return grants;
  }

  private keep(key: string, rights: Rights): void {
    if (this.compiled.size >= MAX_SETS) this.compiled.clear();
    this.compiled.set(key, rights);
  }
}
