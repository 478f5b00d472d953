import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { parseRole, unknownNames } from '@millrace/security';
import { Kernel } from '../Kernel.js';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../createLogger.js';
import type { Command } from './Command.js';

/** Checks roles against the grammar and the actions of the installed plugins, without a server. */
export const roleCheckCommand: Command = {
  name: 'role check',
  summary:
    'Checks roles in a JSON file: their form, and the controllers and actions that they name',
  description:
    'The file has one role, as for security.createRole, or several: {"editor": {"controllers": …}, …}.',
  arguments: [{ name: 'FILE', doc: 'JSON file with roles' }],
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const file = call.argument(0);
    const roles = readRoles(file, await readFile(resolve(call.context.folder, file), 'utf8'));
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

function readRoles(file: string, text: string): readonly (readonly [string, JsonObject])[] {
  const content = parse(file, text);
  if (Object.hasOwn(content, 'controllers') || Object.hasOwn(content, 'indexes'))
    return [[file, content]];
  return Object.entries(content).map(([id, body]) => {
    if (isJsonObject(body)) return [id, body];
    throw new Error(`${file}: ${id}: expected an object, the body of a role`);
  });
}

function parse(file: string, text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${file}: expected an object with roles`);
}
