import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { parseRole, unknownNames } from '@millrace/security';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { Kernel } from '../Kernel.js';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../logging/createLogger.js';
import type { Command } from './Command.js';
import { UsageError } from './UsageError.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** Options, and their names in the body. */
const ASKED = { index: 'index', collection: 'collection', id: '_id', key: 'apiKeyId' } as const;

/** Tells whether a user may run an action, and which roles decide it. */
export const roleExplainCommand: Command = {
  name: 'role explain',
  summary: 'Tells whether a user or an API key may run an action, and which profiles and roles decide it',
  description: 'Exit code 0 also if the user may not.',
  arguments: [
    { name: 'USER', doc: 'id of the user; -1: without a login (after --)' },
    { name: 'ACTION', doc: 'such as document.get' },
  ],
  options: {
    index: { value: 'INDEX', doc: 'index of the action' },
    collection: { value: 'COLLECTION', doc: 'collection of the action' },
    id: { value: 'ID', doc: 'document of the action' },
    key: { value: 'KEY_ID', doc: 'an API key of the user, by its id' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const user = call.argument(0);
    const [controller = '', action] = call.argument(1).split('.');
    if (action === undefined) throw new UsageError('ACTION: expected a name such as document.get');
    const asked = Object.entries(ASKED).flatMap(([option, name]) => {
      const value = call.value(option);
      return value === undefined ? [] : [[name, value] as const];
    });
    const body = { controller, action, ...Object.fromEntries(asked) };
    const json = await withTarget(call, (target) => target.execute('security', 'explainRights', { _id: user, body }));
    const key = call.value('key');
    const whose = key === undefined ? user : `${user}, API key ${key}`;
    return { text: describe(`${whose}: ${controller}.${action}`, json), json };
  },
};

function describe(what: string, answer: JsonValue): string {
  const { allowed, reason, decidedBy, ...limits } = isJsonObject(answer) ? answer : ({} as JsonObject);
  const policies = Array.isArray(decidedBy) ? (decidedBy as readonly JsonValue[]) : [];
  return [
    `${what}: ${allowed === true ? 'allowed' : 'not allowed'}: ${textOf(reason)}`,
    ...Object.entries(limits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...policies.map((policy) => {
      const { profile, apiKey, role, path, reason: why } = isJsonObject(policy) ? policy : ({} as JsonObject);
      const from = profile ?? `API key ${textOf(apiKey)}`;
      const place = [from, role, path].map((part) => JSON.stringify(part)).join(' ');
      return `  ${place}: ${textOf(why)}`;
    }),
    '',
  ].join('\n');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Creates or replaces roles. */
export const roleApplyCommand: Command = {
  name: 'role apply',
  summary: 'Creates or replaces the roles in a JSON file; other roles stay',
  description:
    'The file has roles by their ids: {"editor": {"controllers": …}, …}. `millrace role check` finds misspelt names in it.',
  arguments: [{ name: 'FILE', doc: 'JSON file with roles' }],
  options: TARGET_OPTIONS,
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const file = call.argument(0);
    const roles = await readRoles(call.context.folder, file);
    if (roles.some(([id]) => id === ''))
      throw new UsageError(`${file} has a role without an id: expected {"editor": {…}, …}`);
    const apply = async (target: ActionTarget) => {
      for (const [id, body] of roles) await target.execute('security', 'createOrReplaceRole', { _id: id, body });
    };
    await withTarget(call, apply, { beginsData: true });
    const ids = roles.map(([id]) => id);
    return { text: `Applied ${ids.join(', ')}\n`, json: { roles: ids } };
  },
};

/** Checks roles against the grammar and the actions of the installed plugins, without a server. */
export const roleCheckCommand: Command = {
  name: 'role check',
  summary: 'Checks roles in a JSON file: their form, and the controllers and actions that they name',
  description: 'The file has one role, as for security.createRole, or several: {"editor": {"controllers": …}, …}.',
  arguments: [{ name: 'FILE', doc: 'JSON file with roles' }],
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const file = call.argument(0);
    const named = await readRoles(call.context.folder, file);
    const roles = named.map(([id, body]) => [id === '' ? file : id, body] as const);
    const options = await call.kernelOptions();
    const { config } = new Kernel(options);
    const log = createLogger({ level: 'silent', format: 'json' });
    const { actions } = await composeServer(config, options.plugins ?? [], log);
    const { protectedProperties } = config.section<{ protectedProperties: string[] }>('security');
    const faults = roles.flatMap(([id, body]) => {
      try {
        const role = parseRole(id, body, protectedProperties);
        return unknownNames(role, actions).map((problem) => ({ role: id, problem }));
      } catch (error) {
        return [{ role: id, problem: (error as Error).message }];
      }
    });
    const lines = faults.map(({ role, problem }) => `${role}: ${problem}\n`);
    const text = lines.length > 0 ? lines.join('') : `${roles.length} role(s), nothing wrong\n`;
    const json: JsonValue = { roles: roles.map(([id]) => id), faults };
    return { text, json, isFailed: faults.length > 0 };
  },
};

/**
 * The roles of a JSON file by their ids; the id of a role without one is empty.
 * @throws Error for a file that can't be read, and for content of another form
 */
async function readRoles(folder: string, file: string): Promise<readonly (readonly [string, JsonObject])[]> {
  const content = await readObject(resolve(folder, file), file);
  if (Object.hasOwn(content, 'controllers') || Object.hasOwn(content, 'indexes')) return [['', content]];
  return Object.entries(content).map(([id, body]) => {
    if (isJsonObject(body)) return [id, body];
    throw new Error(`${file}: ${id}: expected an object, the body of a role`);
  });
}

async function readObject(path: string, file: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${file} can't be read: ${code}`, { cause: error });
  });
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${file}: expected an object with roles`);
}
