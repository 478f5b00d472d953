import type { Command } from './Command.js';
import { readPassword } from './readPassword.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** Sets the password of a user. */
export const userPasswordCommand: Command = {
  name: 'user password',
  summary: 'Sets the password of a user; it is read from the terminal or standard input',
  arguments: [{ name: 'USER', doc: 'id of the user' }],
  options: TARGET_OPTIONS,
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const id = call.argument(0);
    const password = await readPassword(call.context);
    await withTarget(call, (target) => target.execute('security', 'updateUser', { _id: id, body: { password } }));
    return { text: `Changed the password of ${id}; its tokens are revoked\n`, json: { _id: id } };
  },
};
