import { securityErrors } from '@millrace/kernel';
import type { Actor } from '../Actor.js';
import type { ProfileStore } from './ProfileStore.js';
import type { Policy } from '../rights/Policy.js';
import { ADMIN_PROFILE } from '../rights/BUILT_IN_ROLES.js';

/*
 * What a request with an API key may give to others (KEY-10): nothing beyond its own rights, since a key ends by its
 * deletion and what it has made doesn't. An unlimited key of an administrator has all rights. Any other key gives what
 * is in the policies of its owner's profiles and, if it has policies, in those too. Policies are compared, not rights:
 * a policy is within another one of the same role whose restriction includes its own.
 */

/** @throws security.api_key_not_accepted (403) */
export async function assertPoliciesWithinKey(
  given: readonly Policy[],
  actor: Actor,
  profiles: ProfileStore,
): Promise<void> {
  const { key } = actor;
  if (key === null || actor.isAdministrator) return;
  const ofOwner = key.profileIds.includes(ADMIN_PROFILE) ? null : await policiesOf(key.profileIds, profiles);
  for (const policy of given) {
    if (isWithin(policy, ofOwner) && isWithin(policy, key.policies)) continue;
    const role = JSON.stringify(policy.roleId.slice(0, 100));
    throw refused(`Giving role ${role}, which is beyond the key's own rights,`);
  }
}

/**
 * @param given the profiles that the user gets
 * @param present those that the user has
 * @throws security.api_key_not_accepted (403)
 */
export async function assertProfilesWithinKey(
  given: readonly string[],
  present: readonly string[],
  actor: Actor,
  profiles: ProfileStore,
): Promise<void> {
  if (actor.key === null || actor.isAdministrator) return;
  const added = given.filter((id) => !present.includes(id));
  // Its members have rights that no role gives (SEC-34).
  if (added.includes(ADMIN_PROFILE)) throw refused(`Giving profile "${ADMIN_PROFILE}"`);
  await assertPoliciesWithinKey(await policiesOf(added, profiles), actor, profiles);
}

/** @throws security.api_key_not_accepted (403) */
export function assertRolesWithinKey({ key, isAdministrator }: Actor): void {
  if (key !== null && !isAdministrator) throw refused('A change of a role');
}

function refused(what: string): Error {
  return securityErrors.api_key_not_accepted({ what });
}

async function policiesOf(ids: readonly string[], profiles: ProfileStore): Promise<Policy[]> {
  const policies: Policy[] = [];
  for (const id of ids) policies.push(...((await profiles.find(id))?.content.policies ?? []));
  return policies;
}

/** @param limits null: everything */
function isWithin({ roleId, restrictedTo }: Policy, limits: readonly Policy[] | null): boolean {
  if (limits === null) return true;
  return limits.some((limit) => {
    if (limit.roleId !== roleId) return false;
    if (limit.restrictedTo === null) return true;
    const allowed = limit.restrictedTo;
    return (
      restrictedTo !== null &&
      restrictedTo.every(({ index, collections }) =>
        allowed.some(
          (each) =>
            each.index === index &&
            (each.collections === undefined || collections?.every((name) => each.collections?.includes(name)) === true),
        ),
      )
    );
  });
}
