import { didYouMean, type ActionTable } from '@millrace/kernel';
import { MEMORY_STORE } from '../rights/Decision.js';
import { RIGHTS_WITHOUT_ACTION } from '../rights/RIGHTS_WITHOUT_ACTION.js';
import type { Role } from '../rights/Role.js';

const ANY = '*';
const MAX_SHOWN_LENGTH = 100;
/** A longer list is hardly a list of misspelt names. */
const MAX_WARNINGS = 100;

/**
 * Finds controllers and actions in a role that the server doesn't know: misspelt ones, or those of a plugin that
 * isn't loaded.
 * @returns sentences such as `unknown action document.gte; did you mean get?`, without duplicates, at most 100
 */
export function unknownNames({ indexes }: Role, actions: ActionTable): readonly string[] {
  const warnings = new Set<string>();
  for (const { collections } of indexes.values()) {
    for (const { controllers } of collections.values()) {
      for (const [controller, rights] of controllers) {
        for (const warning of warningsOf(controller, rights.keys(), actions)) {
          if (warnings.size === MAX_WARNINGS) return [...warnings];
          warnings.add(warning);
        }
      }
    }
  }
  return [...warnings];
}

function* warningsOf(controller: string, names: Iterable<string>, actions: ActionTable): Iterable<string> {
  const own = MEMORY_STORE.includes(controller) ? MEMORY_STORE : [controller];
  const known = controller === ANY ? actions.allActionNames() : own.flatMap((name) => actions.actionNames(name));
  if (known.length === 0) {
    const meant = actions.controllersOf(controller);
    if (meant.length > 0) {
      yield `controller ${shown(controller)} gives no rights: it is another name of ${meant.join(', ')}`;
      return;
    }
    yield `unknown controller ${shown(controller)}${didYouMean(controller, actions.controllerNames())}`;
    return;
  }
  for (const action of names) {
    if (action === ANY || known.includes(action)) continue;
    if (own.some((name) => RIGHTS_WITHOUT_ACTION[name]?.includes(action) === true)) continue;
    yield `unknown action ${shown(controller)}.${shown(action)}${didYouMean(action, known)}`;
  }
}

function shown(name: string): string {
  return name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name;
}
