import type { InjectionToken } from 'tsyringe';
import { apiErrors } from '../errors/errors.js';
import { didYouMean } from '../names/didYouMean.js';
import type { ActionDefinition, RequestQueueName } from './ActionDefinition.js';

const CONTROLLER_ALIASES: Readonly<Record<string, string>> = { ms: 'memoryStorage' };
// `admin` is an alias for the controller that owns the action (PROTO-4).
const ADMIN_CONTROLLERS = ['collection', 'index', 'server'];

/** All actions of a server. Routes, argument checks, server information and the reference are derived from it. */
export class ActionTable {
  private readonly controllers = new Map<string, Map<string, ActionDefinition>>();
  private readonly owners = new Map<ActionDefinition, string>();

  /**
   * @param owner the plugin or part that adds the action, for error messages
   * @throws Error if the action already exists, naming its owner
   */
  add(action: ActionDefinition, owner = 'the server'): void {
    const actions = this.controllers.get(action.controller) ?? new Map<string, ActionDefinition>();
    const existing = actions.get(action.action);
    if (existing !== undefined) {
      const name = `${action.controller}.${action.action}`;
      throw new Error(`action ${name} exists already: it belongs to ${this.ownerOf(existing)}`);
    }
    actions.set(action.action, action);
    this.controllers.set(action.controller, actions);
    this.owners.set(action, owner);
  }

  /** The plugin or part that added the action, for error messages. */
  ownerOf(action: ActionDefinition): string {
    return this.owners.get(action) ?? 'the server';
  }

  /** The names of all controllers, without aliases. */
  controllerNames(): readonly string[] {
    return [...this.controllers.keys()].sort();
  }

  /** The action names of one controller, by its own name; empty if there is no such controller. */
  actionNames(controller: string): readonly string[] {
    return [...(this.controllers.get(controller)?.keys() ?? [])];
  }

  /** The action names of all controllers, each once. */
  allActionNames(): readonly string[] {
    return [...new Set([...this].map(({ action }) => action))];
  }

  /** Every action, in order of declaration by controller. */
  *[Symbol.iterator](): Iterator<ActionDefinition> {
    for (const actions of this.controllers.values()) yield* actions.values();
  }

  /**
   * The action of a request.
   * @throws api.missing_argument (400), api.controller_not_found, api.action_not_found (404)
   */
  find(controller: string, action: string): ActionDefinition {
    if (controller === '') {
      throw apiErrors.missing_argument({
        name: 'controller',
        expected: 'the name of a controller',
      });
    }
    if (action === '') {
      throw apiErrors.missing_argument({ name: 'action', expected: 'the name of an action' });
    }
    const found = this.lookUp(controller, action);
    if (found !== undefined) return found;
    if (!this.isController(controller)) {
      const known = this.controllerNames();
      const hint = didYouMean(controller, known);
      throw apiErrors.controller_not_found({ controller, known: known.join(', '), hint });
    }
    const hint = didYouMean(action, this.actionsUnder(controller));
    throw apiErrors.action_not_found({ controller, action, hint });
  }

  /** The action under exactly this name; no aliases. */
  get(controller: string, action: string): ActionDefinition | undefined {
    return this.controllers.get(controller)?.get(action);
  }

  /** Unknown actions are refused without waiting in a queue. */
  queueOf(controller: string, action: string): RequestQueueName {
    const found = this.lookUp(controller, action);
    return found === undefined ? 'immediate' : (found.queue ?? 'ordinary');
  }

  private lookUp(controller: string, action: string): ActionDefinition | undefined {
    const direct = this.controllers.get(controller)?.get(action);
    if (direct !== undefined) return direct;
    if (controller === 'admin') {
      const owner = ADMIN_CONTROLLERS.find((name) => this.controllers.get(name)?.has(action));
      return owner === undefined ? undefined : this.controllers.get(owner)?.get(action);
    }
    const alias = aliasOf(controller);
    return alias === undefined ? undefined : this.controllers.get(alias)?.get(action);
  }

  private actionsUnder(controller: string): readonly string[] {
    if (controller === 'admin') return ADMIN_CONTROLLERS.flatMap((name) => this.actionNames(name));
    return this.actionNames(aliasOf(controller) ?? controller);
  }

  private isController(name: string): boolean {
    return this.controllers.has(name) || name === 'admin' || aliasOf(name) !== undefined;
  }
}

function aliasOf(controller: string): string | undefined {
  return Object.hasOwn(CONTROLLER_ALIASES, controller) ? CONTROLLER_ALIASES[controller] : undefined;
}

/** The action table of this server. */
export const ACTIONS: InjectionToken<ActionTable> = Symbol.for('millrace.Actions');
