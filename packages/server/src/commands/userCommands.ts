import { isJsonObject } from '@millrace/kernel';
import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import { formatTable } from './formatTable.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';
import { readPassword } from './readPassword.js';

const PAGE_SIZE = 500;
/** Searches end there. */
const MAX_USERS = 10_000;

/** Lists users with their profiles. */
export const userListCommand: Command = {
  name: 'user list',
  summary: `Lists users with their profiles, at most ${MAX_USERS}`,
  options: TARGET_OPTIONS,
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const listed = await withTarget(call, listUsers);
    const users = [...listed].sort((a, b) => (a._id < b._id ? -1 : 1));
    const text = formatTable(users.map(({ _id, profileIds }) => [_id, profileIds.join(', ')]));
    return { text, json: users.map((user) => ({ ...user })) };
  },
};

interface ListedUser {
  readonly _id: string;
  readonly profileIds: readonly string[];
}

async function listUsers(target: ActionTarget): Promise<readonly ListedUser[]> {
  const users: ListedUser[] = [];
  for (;;) {
    const page = { from: users.length, size: PAGE_SIZE };
    const { hits, total } = (await target.execute('security', 'searchUsers', page)) as unknown as {
      readonly total: number;
      readonly hits: readonly {
        readonly _id: string;
        readonly _source: { readonly profileIds: readonly string[] };
      }[];
    };
    users.push(...hits.map(({ _id, _source }) => ({ _id, profileIds: _source.profileIds })));
    if (hits.length === 0 || users.length >= Math.min(total, MAX_USERS)) return users;
  }
}

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
