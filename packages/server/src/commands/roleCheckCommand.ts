import type { JsonValue } from '@millrace/kernel';
import { parseRole, unknownNames } from '@millrace/security';
import { Kernel } from '../Kernel.js';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../logging/createLogger.js';
import type { Command } from './Command.js';
import { readRoles } from './readRoles.js';

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
