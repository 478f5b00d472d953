import type { ActionTarget } from '../targets/ActionTarget.js';
import type { Command } from './Command.js';
import { readRoles } from './readRoles.js';
import { UsageError } from './UsageError.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

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
