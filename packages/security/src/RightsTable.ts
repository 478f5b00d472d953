/*
 * Caches compiled rights by set of profiles. Compiling reads profiles and roles and takes far longer than deciding,
 * so the result is kept until any profile or role changes. Changes are rare, so the roles that a set depends on
 * aren't tracked.
 */
import { andThen, INTERNAL_INDEX, isThenable, type MaybePromise, type RateLimit } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ProfileStore } from './roles/ProfileStore.js';
import { compileRights } from './rights/compileRights.js';
import type { Grant } from './rights/Grant.js';
import type { Policy } from './rights/Policy.js';
import type { Rights } from './rights/Rights.js';
import { RoleStore } from './roles/RoleStore.js';

const MAX_SETS = 10_000;

interface Compiled {
  readonly rights: Rights;
  readonly rateLimit: RateLimit | null;
}

/** Looks up the rights of users by their profiles. One per server. */
@scoped(Scope.ContainerScoped)
export class RightsTable {
  private readonly compiled = new Map<string, Compiled>();
  private compiledPolicies = new WeakMap<readonly Policy[], Rights>();
  private epoch = 0;

  constructor(
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
  ) {}

  /** Returns a value if it is cached. Profiles and roles that don't exist grant nothing. */
  of(profileIds: readonly string[]): MaybePromise<Rights> {
    return andThen(this.compiledOf(profileIds), ({ rights }) => rights);
  }

  /** The most generous rate limit of the profiles; null if none has one. Returns a value if it is cached. */
  rateLimitOf(profileIds: readonly string[]): MaybePromise<RateLimit | null> {
    return andThen(this.compiledOf(profileIds), ({ rateLimit }) => rateLimit);
  }

  /** The rights granted by some policies. Returns a value if it is cached, by the identity of the list. */
  ofPolicies(policies: readonly Policy[]): MaybePromise<Rights> {
    return this.compiledPolicies.get(policies) ?? this.compilePolicies(policies);
  }

  /** The rights granted by roles, compiled for this call. */
  ofGrants(grants: readonly Grant[]): Rights {
    return compileRights(grants, this.internalIndex);
  }

  /** Clears the cache after a change of a profile or role. */
  dropAll(): void {
    this.epoch++;
    this.compiled.clear();
    this.compiledPolicies = new WeakMap();
  }

  private async compilePolicies(policies: readonly Policy[]): Promise<Rights> {
    const { epoch } = this;
    const rights = this.ofGrants(await this.grantsOf(policies));
    if (epoch === this.epoch) this.compiledPolicies.set(policies, rights);
    return rights;
  }

  private compiledOf(profileIds: readonly string[]): MaybePromise<Compiled> {
    // Ids contain no control characters.
    const key = profileIds.length === 1 ? (profileIds[0] ?? '') : profileIds.join('\0');
    return this.compiled.get(key) ?? this.compile(key, profileIds);
  }

  private async compile(key: string, profileIds: readonly string[]): Promise<Compiled> {
    const { epoch } = this;
    const limits: RateLimit[] = [];
    const grants: Grant[] = [];
    for (const id of new Set(profileIds)) {
      let profile = this.profiles.find(id);
      if (isThenable(profile)) profile = await profile;
      if (profile === null) continue;
      const { policies, rateLimit } = profile.content;
      if (rateLimit !== null) limits.push(rateLimit);
      grants.push(...(await this.grantsOf(policies)));
    }
    const rights = this.ofGrants(grants);
    const compiled = { rights, rateLimit: mostGenerous(limits) };
    if (epoch === this.epoch) this.keep(key, compiled);
    return compiled;
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

  private keep(key: string, compiled: Compiled): void {
    if (this.compiled.size >= MAX_SETS) this.compiled.clear();
    this.compiled.set(key, compiled);
  }
}

function mostGenerous(limits: readonly RateLimit[]): RateLimit | null {
  // A rate of 0 is no limit.
  const rate = ({ perSecond }: RateLimit) => (perSecond === 0 ? Infinity : perSecond);
  return limits.reduce<RateLimit | null>(
    (best, limit) => (best === null || rate(limit) > rate(best) ? limit : best),
    null,
  );
}
