import { randomBytes } from 'node:crypto';
import { MEMBER } from './rights.mjs';

const MAPPINGS = {
  rooms: { name: { type: 'keyword' }, members: { type: 'keyword' } },
  messages: {
    room: { type: 'keyword' },
    author: { type: 'keyword' },
    text: { type: 'text' },
    members: { type: 'keyword' },
  },
};

const text = (max) => ({
  type: 'string',
  mandatory: true,
  typeOptions: { length: { min: 1, max } },
});

/** Of private rooms. */
const members = { type: 'string', multivalued: { value: true, minCount: 2, maxCount: 50 } };

/** What documents and messages have to look like. */
const SPECIFICATIONS = {
  chat: {
    rooms: { strict: true, fields: { name: text(40), members } },
    messages: {
      strict: true,
      fields: { room: text(40), author: text(40), text: text(4000), members },
    },
    // Nothing is stored in it: who is in a room, and who is typing.
    activity: {
      strict: true,
      fields: { room: text(40), user: text(40), isTyping: { type: 'boolean', mandatory: true } },
    },
  },
};

/** Makes what the chat needs. At later starts nothing changes. */
export async function prepare(kernel, adminPassword) {
  const user = { _id: 'server', profileIds: ['admin'] };
  const run = async (controller, action, fields) => {
    const { error } = await kernel.execute({ controller, action, ...fields }, { user });
    if (error !== null) throw new Error(`${controller}.${action}: ${error.message}`);
  };
  await makeAdministrator(kernel, adminPassword);
  await run('security', 'createOrReplaceRole', { _id: 'member', body: MEMBER });
  const policies = [{ roleId: 'default' }, { roleId: 'member' }];
  await run('security', 'createOrReplaceProfile', { _id: 'member', body: { policies } });
  for (const [collection, properties] of Object.entries(MAPPINGS))
    await run('collection', 'create', { index: 'chat', collection, body: { properties } });
  await run('collection', 'updateSpecifications', { body: SPECIFICATIONS });
  for (const name of ['General', 'Random']) {
    const body = { doc: {}, default: { name } };
    const _id = name.toLowerCase();
    await run('document', 'upsert', { index: 'chat', collection: 'rooms', _id, body });
  }
}

/** Until there is an administrator, every request would be allowed. */
async function makeAdministrator(kernel, given) {
  const password = given ?? randomBytes(12).toString('base64url');
  const fields = { controller: 'security', action: 'createFirstAdmin' };
  const { error } = await kernel.execute({ ...fields, _id: 'admin', body: { password } });
  if (error !== null && error.id !== 'security.admin_exists') throw new Error(error.message);
  if (error === null && given === undefined) console.log(`The administrator is "admin", the password ${password}`);
}
