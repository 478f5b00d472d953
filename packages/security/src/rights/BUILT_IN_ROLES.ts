import type { JsonObject } from '@millrace/kernel';

/** Ids of the profiles and roles that exist from the first start and can't be deleted. */
export const BUILT_IN_IDS = ['admin', 'default', 'anonymous'] as const;

/** The profile that makes a user an administrator. */
export const ADMIN_PROFILE = 'admin';

/** True for a user with profile `admin` (SEC-8). */
export function isAdministrator({ profileIds }: { readonly profileIds: readonly string[] }): boolean {
  return profileIds.includes(ADMIN_PROFILE);
}

const PUBLIC_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  auth: ['login', 'checkToken', 'getCurrentUser', 'getMyRights', 'getStrategies'],
  server: ['info', 'now', 'adminExists', 'healthCheck'],
};

/** Their built-in form (SEC-7). */
export const BUILT_IN_ROLES: Readonly<Record<(typeof BUILT_IN_IDS)[number], JsonObject>> = {
  admin: { controllers: { '*': { actions: { '*': true } } } },
  default: flat({
    ...PUBLIC_ACTIONS,
    auth: [...(PUBLIC_ACTIONS['auth'] ?? []), 'logout', 'updateSelf', 'refreshToken'],
  }),
  anonymous: flat({ ...PUBLIC_ACTIONS, security: ['createRestrictedUser'] }),
};

function flat(actions: Readonly<Record<string, readonly string[]>>): JsonObject {
  const controllers = Object.entries(actions).map(([controller, names]) => [
    controller,
    { actions: Object.fromEntries(names.map((name) => [name, true])) },
  ]);
  return { controllers: Object.fromEntries(controllers) as JsonObject };
}
