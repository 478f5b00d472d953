import type { InjectionToken } from 'tsyringe';
import { apiErrors } from '../../errors/errors.js';
import { didYouMean } from '../../errors/didYouMean.js';
import type { ActionDefinition, RequestQueueName, Route } from './ActionDefinition.js';

/** The plugin or part of the server that adds an action. */
export interface ActionOwner {
  /** For error messages, such as `plugin "doors"`. */
  readonly title: string;
  /** The name of the plugin; absent for parts of the server. */
  readonly plugin?: string;
}

const SERVER: ActionOwner = { title: 'the server' };

/** All actions of a server. Routes, argument checks, server information and the reference are derived from it. */
export class ActionTable {
  private readonly controllers = new Map<string, Map<string, ActionDefinition>>();
  private readonly owners = new Map<ActionDefinition, ActionOwner>();
  private readonly aliases = new Map<string, readonly string[]>();
  private readonly reserved: string[] = [];

  /** @throws Error if the action already exists, naming its owner */
  add(action: ActionDefinition, owner = SERVER): void {
    const actions = this.controllers.get(action.controller) ?? new Map<string, ActionDefinition>();
    const existing = actions.get(action.action);
    if (existing !== undefined) {
      const name = `${action.controller}.${action.action}`;
      throw new Error(`action ${name} exists already: it belongs to ${this.ownerOf(existing).title}`);
    }
    actions.set(action.action, action);
    this.controllers.set(action.controller, actions);
    this.owners.set(action, owner);
  }

  /** Adds routes to an action. @throws Error if there is no such action */
  addRoutes(controller: string, name: string, routes: readonly Route[]): void {
    const action = this.get(controller, name);
    if (action === undefined) throw new Error(`there is no action ${controller}.${name}`);
    const routed = { ...action, routes: [...action.routes, ...routes] };
    this.controllers.get(controller)?.set(name, routed);
    this.owners.set(routed, this.ownerOf(action));
  }

  ownerOf(action: ActionDefinition): ActionOwner {
    return this.owners.get(action) ?? SERVER;
  }

  /** Gives controllers another name: it stands for the first of them that has the action (PROTO-4). */
  alias(name: string, controllers: readonly string[]): void {
    this.aliases.set(name, controllers);
  }

  /** The other names of a controller. */
  aliasesOf(controller: string): readonly string[] {
    return [...this.aliases].flatMap(([name, names]) => (names.includes(controller) ? [name] : []));
  }

  /** The controllers of which this is another name; empty if it is none. */
  controllersOf(alias: string): readonly string[] {
    return this.aliases.get(alias) ?? [];
  }

  /**
   * Reserves a path without an action, such as `/ms/_acl`: no parameter of a route matches its last segment, and no
   * index can be created with its first one as its name.
   */
  reserve(path: string): void {
    this.reserved.push(path);
  }

  get reservedPaths(): readonly string[] {
    return this.reserved;
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

  /** Whether `find` returns an action. */
  has(controller: string, action: string): boolean {
    return this.lookUp(controller, action) !== undefined;
  }

  /** Unknown actions are refused without waiting in a queue. */
  queueOf(controller: string, action: string): RequestQueueName {
    const found = this.lookUp(controller, action);
    return found === undefined ? 'immediate' : (found.queue ?? 'ordinary');
  }

  private lookUp(controller: string, action: string): ActionDefinition | undefined {
    const own = this.get(controller, action);
    if (own !== undefined) return own;
    for (const name of this.aliases.get(controller) ?? []) {
      const found = this.get(name, action);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private actionsUnder(controller: string): readonly string[] {
    return this.namesOf(controller).flatMap((name) => this.actionNames(name));
  }

  private isController(name: string): boolean {
    return this.controllers.has(name) || this.aliases.has(name);
  }

  /** The controllers that a name stands for, in order. */
  private namesOf(controller: string): readonly string[] {
    const aliased = this.aliases.get(controller);
    if (aliased === undefined) return [controller];
    return this.controllers.has(controller) ? [controller, ...aliased] : aliased;
  }
}

/** The action table of this server. */
export const ACTIONS: InjectionToken<ActionTable> = Symbol.for('millrace.Actions');
