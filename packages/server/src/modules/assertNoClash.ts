import {
  coreErrors,
  didYouMean,
  type ActionDefinition,
  type ActionTable,
  type Pipes,
  type Protocol,
} from '@millrace/kernel';
import { spellingsOf } from '@millrace/entrypoint-http';
import type { PluginFiles } from './Contributions.js';

/**
 * Adds the server's built-in actions to those of plugins.
 * @param service the service that provides them, for messages
 * @throws core.plugin_refused if a plugin has taken one of the names
 */
export function addOwnActions(actions: ActionTable, service: string, own: readonly ActionDefinition[]): void {
  const owner = { title: `the core service "${service}"` };
  for (const action of own) {
    const { controller, action: name } = action;
    const taken = actions.get(controller, name);
    const plugin = taken === undefined ? undefined : actions.ownerOf(taken).plugin;
    if (plugin !== undefined) {
      const reason = `action ${controller}.${name} exists already: it belongs to ${owner.title}`;
      throw coreErrors.plugin_refused({ plugin, reason });
    }
    actions.add(action, owner);
  }
}

/** Adds the routes of streams over HTTP. @throws core.plugin_refused if their action doesn't exist */
export function addStreamRoutes(actions: ActionTable, protocols: readonly Protocol[]): void {
  for (const { name, httpStreams } of protocols) {
    if (httpStreams === undefined) continue;
    const { controller, action, routes, mediaType } = httpStreams;
    const stream = { protocol: name, mediaType };
    try {
      actions.addRoutes(controller, action, routes.map((route) => ({ ...route, stream })));
    } catch (error) {
      const reason = `the streams of protocol "${name}": ${(error as Error).message}`;
      throw coreErrors.plugin_refused({ plugin: name, reason }, { cause: error });
    }
  }
} // prettier-ignore

/**
 * Checks the registrations of plugins against each other and the server, once all actions are known.
 * @throws core.plugin_refused for a duplicate route, for files in place of a route, and for a pipe on actions that don't
 *   exist
 */
export function assertNoClash(actions: ActionTable, pipes: Pipes, files: readonly PluginFiles[]): void {
  assertRoutes(actions);
  for (const each of files) assertFiles(actions, each);
  const names = [...actions].map(({ controller, action }) => `${controller}.${action}`);
  const controllers = [...actions].map(({ controller }) => `${controller}.*`);
  const known = new Set(['*', ...controllers, ...names]);
  for (const { plugin, actions: pattern } of pipes.patterns()) {
    if (known.has(pattern)) continue;
    const reason = `its pipe names ${JSON.stringify(pattern)}, which no action has${didYouMean(pattern, known)}`;
    throw coreErrors.plugin_refused({ plugin, reason });
  }
}

/** Files win over routes that read: such a route below their path could never be called. */
function assertFiles(actions: ActionTable, { plugin, files }: PluginFiles): void {
  for (const action of actions) {
    const taken = action.routes.find(({ method, path }) => method === 'GET' && `${path}/`.startsWith(`${files.path}/`));
    if (taken === undefined) continue;
    const name = `${action.controller}.${action.action}`;
    const reason = `its files at ${files.path} would hide route GET ${taken.path} of ${name} of ${actions.ownerOf(action).title}`;
    throw coreErrors.plugin_refused({ plugin, reason });
  }
}

function assertRoutes(actions: ActionTable): void {
  const takenBy = new Map<string, ActionDefinition>();
  // Built-in routes first: the error then names the plugin, whichever registered earlier.
  const [own, ofPlugins] = [false, true].map((isPlugin) =>
    [...actions].filter((action) => (actions.ownerOf(action).plugin !== undefined) === isPlugin),
  ) as [ActionDefinition[], ActionDefinition[]];
  for (const action of [...own, ...ofPlugins]) {
    for (const { method, path } of action.routes) {
      const keys = spellingsOf(path).map((spelling) => `${method} ${shapeOf(spelling)}`);
      const other = keys.map((key) => takenBy.get(key)).find((each) => each !== undefined);
      const { plugin } = actions.ownerOf(action);
      if (other !== undefined && plugin !== undefined) {
        const name = `${other.controller}.${other.action}`;
        const reason = `route ${method} ${path} of ${action.controller}.${action.action} exists already: it belongs to ${name} of ${actions.ownerOf(other).title}`;
        throw coreErrors.plugin_refused({ plugin, reason });
      }
      for (const key of keys) takenBy.set(key, action);
    }
  }
}

/** Two routes clash if they differ only in parameter names. */
function shapeOf(path: string): string {
  return path.replace(/:[^/]+/g, ':');
}
