import type { ActionDefinition } from '@millrace/kernel';
import { compileRights } from '../rights/compileRights.js';
import type { Policy } from '../rights/Policy.js';
import type { Role } from '../rights/Role.js';
import { BUILT_IN_ROLES } from '../rights/BUILT_IN_ROLES.js';

/** Actions allowed to everyone on a locked server need no warning in a restricted policy. */
const PUBLIC = publicActions();

/**
 * The actions that a restricted policy allows everywhere because they name no index: `security.*`, `server.metrics`.
 * Actions that check their target themselves (a scroll, a room) are restricted, and actions on the caller's own
 * account concern no index.
 * @returns names, whole controllers as `<controller>.*`; empty for a policy without restrictions
 */
export function unrestrictedActions(
  { restrictedTo }: Policy,
  role: Role,
  actions: Iterable<ActionDefinition>,
): readonly string[] {
  if (restrictedTo === null) return [];
  const rights = compileRights([{ role, restrictedTo }], '');
  const byController = new Map<string, { granted: string[]; count: number }>();
  for (const { controller, action, args, authorizesItself } of actions) {
    if (authorizesItself === true || controller === 'auth') continue;
    if (PUBLIC.has(`${controller}.${action}`)) continue;
    const known = byController.get(controller) ?? { granted: [], count: 0 };
    known.count++;
    const isRestricted = 'index' in args;
    if (!isRestricted && rights.decide(controller, action, null, null) !== false) known.granted.push(action);
    byController.set(controller, known);
  }
  return [...byController].flatMap(([controller, { granted, count }]) =>
    granted.length === count && count > 1 ? [`${controller}.*`] : granted.map((action) => `${controller}.${action}`),
  );
}

function publicActions(): ReadonlySet<string> {
  const controllers = BUILT_IN_ROLES.anonymous['controllers'] as Readonly<Record<string, { readonly actions: object }>>;
  const names = Object.entries(controllers).flatMap(([controller, { actions }]) =>
    Object.keys(actions).map((action) => `${controller}.${action}`),
  );
  return new Set(names);
}
