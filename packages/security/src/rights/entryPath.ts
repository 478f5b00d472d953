import type { Named, Role } from './Role.js';

/** What a role is asked for. */
export interface RoleQuestion {
  readonly controller: string;
  readonly action: string;
  readonly index: string | null;
  readonly collection: string | null;
}

/** The path of the entry of a role that decides about an action (SEC-11); undefined: it has none. */
export function entryPath(role: Role, asked: RoleQuestion): string | undefined {
  const index = nameIn(role.indexes, asked.index);
  const collections = index && role.indexes.get(index)?.collections;
  const collection = collections && nameIn(collections, asked.collection);
  const controllers = collection && collections.get(collection)?.controllers;
  const controller = controllers && nameIn(controllers, asked.controller);
  const actions = controller && controllers.get(controller);
  const action = actions && nameIn(actions, asked.action);
  if (action === undefined || action === '') return undefined;
  const own = `controllers.${controller as string}.actions.${action}`;
  const isFlat = Object.hasOwn(role.body, 'controllers');
  return isFlat ? own : `indexes.${index as string}.collections.${collection as string}.${own}`;
}

function nameIn(entries: Named<unknown>, name: string | null): string | undefined {
  if (name !== null && entries.has(name)) return name;
  return entries.has('*') ? '*' : undefined;
}
