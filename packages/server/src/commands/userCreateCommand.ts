import { isJsonObject } from '@millrace/kernel';
import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import { readPassword } from './readPassword.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** Creates a user with a password. */
export const userCreateCommand: Command = {
  name: 'user create',
  summary: 'Creates a user; the password is read from the terminal or standard input',
  description: 'The first user with the profile admin is the first administrator: it closes an open server.',
  arguments: [{ name: 'USER', doc: 'id of the user' }],
  options: {
    profiles: { value: 'NAMES', doc: 'profiles, joined by commas [default]' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const id = call.argument(0);
    const profileIds = (call.value('profiles') ?? 'default').split(',').map((name) => name.trim());
    const password = await readPassword(call.context);
    const create = async (target: ActionTarget): Promise<boolean> => {
      const admin = await target.execute('server', 'adminExists');
      const exists = isJsonObject(admin) && admin['exists'] === true;
      const creates = !exists && profileIds.includes('admin');
      if (!creates) {
        const body = { profileIds, password };
        await target.execute('security', 'createUser', { _id: id, body });
        return false;
      }
      await target.execute('security', 'createFirstAdmin', { _id: id, body: { password } });
      if (profileIds.length > 1) await target.execute('security', 'updateUser', { _id: id, body: { profileIds } });
      return true;
    };
    const isFirst = await withTarget(call, create, { beginsData: true });
    const text = `Created ${isFirst ? 'the first administrator' : 'user'} ${id} (${profileIds.join(', ')})\n`;
    return { text, json: { _id: id, profileIds, isFirstAdministrator: isFirst } };
  },
};
