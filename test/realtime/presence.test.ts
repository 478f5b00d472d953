import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from '../cluster/openNodes.js';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'shop', collection: 'desk' };
const SUBSCRIBE = { controller: 'realtime', action: 'subscribe', ...AT, body: {} };
const PRESENCE = { controller: 'realtime', action: 'presence' };

interface Listed {
  readonly count: number;
  readonly total: number;
  readonly users: readonly { readonly userId: string; readonly presence: JsonObject; readonly since: number }[];
}

const listed = ({ result }: ResponseMessage) => result as unknown as Listed;

async function enter(client: MemoryClient, more: JsonObject = {}): Promise<{ readonly roomId: string; readonly channel: string }> {
  const { status, error, result } = await client.request({ ...SUBSCRIBE, ...more });
  if (status !== 200) throw new Error(JSON.stringify(error));
  const made = result as { readonly roomId: string; readonly channel: string };
  client.channels.add(made.channel);
  return made;
} // prettier-ignore

describe('presence (PROTO-75)', () => {
  const protocol = new MemoryProtocol();
  let server: SecuredServer;
  let jwt: string;

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [protocol.plugin] });
    jwt = server.adminJwt;
  });
  afterAll(() => server.close());

  it('lists those who sent it, earliest first, and counts the others', async () => {
    const [ada, grace, unseen] = [protocol.connect(), protocol.connect(), protocol.connect()];
    const { id, jwt: other } = await server.account(flatRole({ realtime: ['subscribe'], document: ['search'] }));
    const { roomId } = await enter(ada, { jwt, presence: { desk: 1 } });
    await enter(unseen, { jwt });
    await enter(grace, { jwt: other, presence: {} });
    const all = await ada.request({ ...PRESENCE, roomId, jwt });
    expect(listed(all)).toEqual({
      roomId,
      count: 3,
      total: 2,
      users: [
        { userId: server.adminId, presence: { desk: 1 }, since: expect.any(Number) as number },
        { userId: id, presence: {}, since: expect.any(Number) as number },
      ],
    });
    const page = await ada.request({ ...PRESENCE, roomId, jwt, from: 1, size: 1 });
    expect(listed(page).users.map(({ userId }) => userId)).toEqual([id]);
    // A backend asks without a connection that lasts.
    expect(listed(await server.started.kernel.execute({ ...PRESENCE, roomId, jwt })).total).toBe(2);
    for (const client of [ada, grace, unseen]) client.close();
    expect(await protocol.connect().request({ ...PRESENCE, roomId, jwt })).toMatchObject({ status: 404 });
  });

  it('is part of user events, of those alone who sent it', async () => {
    const [watcher, seen, unseen] = [protocol.connect(), protocol.connect(), protocol.connect()];
    const { channel } = await enter(watcher, { jwt, users: 'all' });
    await enter(seen, { jwt, presence: { desk: 2 }, metadata: { m: 1 } });
    await enter(unseen, { jwt });
    seen.close();
    unseen.close();
    await eventually(
      () => watcher.heard(channel),
      ({ length }) => length === 4,
    );
    const shown = { userId: server.adminId, presence: { desk: 2 }, since: expect.any(Number) as number };
    const results = watcher.received.map(({ message: { user, result } }) => {
      const { roomId: _, count: __, ...more } = result;
      return [user, more];
    });
    expect(results).toEqual([
      ['in', shown],
      ['in', {}],
      ['out', shown],
      ['out', {}],
    ]);
    watcher.close();
  });

  // {"text":""} takes 11 bytes, each é two.
  it.each([['x'], [[]], [{ text: 'x'.repeat(1_014) }], [{ text: 'é'.repeat(507) }]])(
    '%j is refused by name',
    async (presence) => {
      // prettier-ignore
      const client = protocol.connect();
      const { status, error } = await client.request({ ...SUBSCRIBE, jwt, presence });
      expect([status, error?.id]).toEqual([400, 'api.invalid_argument']);
      expect(error?.message).toContain('"presence"');
      client.close();
    },
  );

  it('1,024 bytes are allowed', async () => {
    const client = protocol.connect();
    const presence = { text: 'x'.repeat(1_013) };
    const { roomId } = await enter(client, { jwt, presence, body: { equals: { large: 1 } } });
    const { users } = listed(await client.request({ ...PRESENCE, roomId, jwt }));
    expect(users.map((each) => each.presence)).toEqual([presence]);
    client.close();
  });

  it('a page has at most 1,000 users', async () => {
    const { error } = await server.started.kernel.execute({ ...PRESENCE, roomId: 'x', size: 1_001, jwt });
    expect(error?.message).toContain('"size"');
  });

  it('the list requires its own right', async () => {
    const client = protocol.connect();
    const { roomId } = await enter(client, { jwt, presence: {} });
    const without = await server.account(flatRole({ realtime: ['subscribe', 'join', 'count'] }));
    const allowed = await server.account(flatRole({ realtime: ['presence'], document: ['search'] }));
    const ask = (token: string, room: string) =>
      server.started.kernel.execute({ ...PRESENCE, roomId: room, jwt: token });
    expect((await ask(without.jwt, roomId)).error?.id).toBe('security.forbidden');
    expect((await ask(without.jwt, 'f'.repeat(32))).error?.id).toBe('security.forbidden');
    expect((await ask(allowed.jwt, roomId)).status).toBe(200);
    expect((await ask(allowed.jwt, 'f'.repeat(32))).error?.id).toBe('realtime.room_not_found');
    client.close();
  });
});

describe.skipIf(!hasRedis())('presence over several nodes (PROTO-75)', () => {
  let cluster: Nodes;

  beforeAll(async () => {
    cluster = await openNodes(2);
  });
  afterAll(() => cluster.close());

  it('every node lists and reports the members of all, a later one too, and forgets those of a stopped one', async () => {
    const [a, b] = cluster.nodes as [Node, Node];
    const [here, there] = [a.connect(), b.connect()];
    const { roomId } = await enter(here, { presence: { at: 'a' } });
    const { channel } = await enter(there, { presence: { at: 'b' }, users: 'all' });
    const places = async (node: Node) =>
      listed(await node.ask({ ...PRESENCE, roomId })).users.map(({ presence }) => presence.at);
    expect(await places(a)).toEqual(['a', 'b']);
    expect(await places(b)).toEqual(['a', 'b']);
    const c = await cluster.add();
    const further = c.connect();
    await enter(further, { presence: { at: 'c' } });
    expect(await places(c)).toEqual(['a', 'b', 'c']);
    const events = () =>
      there.received
        .filter((each) => each.channel === channel)
        .map(({ message: { user, result } }) => [user, (result.presence as JsonObject).at]);
    await eventually(events, ({ length }) => length === 1);
    await c.stop();
    expect(await eventually(events, ({ length }) => length === 2)).toEqual([
      ['in', 'c'],
      ['out', 'c'],
    ]);
    expect(await places(b)).toEqual(['a', 'b']);
    here.close();
    there.close();
  });
});
