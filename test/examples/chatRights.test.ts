import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import type { Plugin } from '@millrace/kernel';
// The example is JavaScript, as users would write it.
// @ts-expect-error no declarations
import { membersOfMessages } from '../../examples/chat/server/membersOfMessages.mjs';
// @ts-expect-error no declarations
import { prepare } from '../../examples/chat/server/prepare.mjs';
import { startKernel, type StartedKernel } from '../startKernel.js';

const membersPlugin = membersOfMessages as () => Plugin;
const start = prepare as (kernel: unknown, adminPassword: string) => Promise<void>;

describe('the rights of the chat', () => {
  let server: StartedKernel;
  const tokens: Record<string, string> = {};
  const ask = (user: string | null, method: string, path: string, body?: object) =>
    server.ask(method, path, body, user === null ? {} : { authorization: `Bearer ${tokens[user]}` });
  const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;
  const message = { room: 'general', author: 'ada', text: 'Hello' };

  beforeAll(async () => {
    const security = { openSignUp: true, restrictedProfileIds: ['member'] };
    server = await startKernel({ plugins: [localAuth(), membersPlugin()], config: { security } });
    await start(server.kernel, 'the password of admin');
    // A later start finds everything there.
    await start(server.kernel, 'another password');
    for (const username of ['ada', 'grace', 'alan']) {
      const password = `the password of ${username}`;
      expect(await statusOf(null, 'POST', `/users/${username}/_createRestricted`, { password })).toBe(200);
      const { body } = await ask(null, 'POST', '/_login', { username, password });
      tokens[username] = (body.result as { jwt: string }).jwt;
    }
  });
  afterAll(() => server.close());

  it('lets no one in without a login', async () => {
    expect(await statusOf(null, 'POST', '/chat/messages/_search', {})).toBe(401);
    expect(await statusOf(null, 'POST', '/chat/messages/_create', message)).toBe(401);
  });

  it('lets members write in their own name, and change and delete only what they wrote', async () => {
    expect(await statusOf('ada', 'POST', '/chat/messages/m-1/_create', message)).toBe(200);
    expect(await statusOf('grace', 'POST', '/chat/messages/m-2/_create', message)).toBe(403);
    expect(await statusOf('grace', 'PUT', '/chat/messages/m-1/_update', { text: 'Hi' })).toBe(404);
    expect(await statusOf('grace', 'DELETE', '/chat/messages/m-1')).toBe(404);
    expect(await statusOf('ada', 'PUT', '/chat/messages/m-1/_update', { author: 'grace' })).toBe(403);
    expect(await statusOf('ada', 'PUT', '/chat/messages/m-1/_update', { text: 'Hi' })).toBe(200);
    expect(await statusOf('grace', 'POST', '/chat/messages/_search', {})).toBe(200);
    expect(await statusOf('ada', 'DELETE', '/chat/messages/m-1')).toBe(200);
  });

  it('shows private rooms and their messages to members alone', async () => {
    const room = { name: 'Surprise', members: ['ada', 'grace'] };
    expect(await statusOf('ada', 'POST', '/chat/rooms/secret/_create', room)).toBe(200);
    expect(await statusOf('alan', 'POST', '/chat/rooms/other/_create', room)).toBe(403);
    const note = { room: 'secret', author: 'ada', text: 'A cake' };
    expect(await statusOf('ada', 'POST', '/chat/messages/s-1/_create', note)).toBe(200);
    // Whatever its author says, a message belongs to the members of its room.
    const forged = { ...note, author: 'alan', members: ['alan', 'grace'] };
    expect(await statusOf('alan', 'POST', '/chat/messages/s-2/_create', forged)).toBe(403);
    const found = async (user: string, collection: string) => {
      const { body } = await ask(user, 'POST', `/chat/${collection}/_search`, { size: 100 });
      return (body.result as { hits: readonly { _id: string }[] }).hits.map(({ _id }) => _id);
    };
    for (const user of ['ada', 'grace']) {
      expect(await found(user, 'rooms')).toContain('secret');
      expect(await found(user, 'messages')).toEqual(['s-1']);
    }
    expect(await found('alan', 'rooms')).not.toContain('secret');
    expect(await found('alan', 'messages')).toEqual([]);
    expect(await statusOf('alan', 'GET', '/chat/messages/s-1')).toBe(404);
    const lost = { room: 'nowhere', author: 'ada', text: 'Hello' };
    expect(await statusOf('ada', 'POST', '/chat/messages/_create', lost)).toBe(404);
  });

  it('accepts no other documents', async () => {
    const long = { ...message, text: 'a'.repeat(4001) };
    expect(await statusOf('ada', 'POST', '/chat/messages/_create', long)).toBe(400);
    expect(await statusOf('ada', 'POST', '/chat/messages/_create', { ...message, more: 1 })).toBe(400);
    expect(await statusOf('ada', 'POST', '/chat/rooms/_create', { name: '' })).toBe(400);
    expect(await statusOf('ada', 'POST', '/chat/rooms/r-1/_create', { name: 'Room' })).toBe(200);
    expect(await statusOf('ada', 'DELETE', '/chat/rooms/r-1')).toBe(403);
    expect(await statusOf('ada', 'PUT', '/chat/other/a', {})).toBe(403);
  });

  it('lets members publish in their own name', async () => {
    const typing = { room: 'general', user: 'ada', isTyping: true };
    expect(await statusOf('ada', 'POST', '/chat/activity', typing)).toBe(200);
    expect(await statusOf('grace', 'POST', '/chat/activity', typing)).toBe(403);
  });
});
