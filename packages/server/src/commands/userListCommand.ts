import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import { formatTable } from './formatTable.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

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
