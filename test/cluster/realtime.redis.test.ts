import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'things' };
const SUBSCRIBE = { controller: 'realtime', action: 'subscribe', ...AT };

async function subscribe(node: Node, more: object = {}) {
  const client = node.connect();
  const { status, error, result } = await client.request({ ...SUBSCRIBE, body: {}, ...more });
  if (status !== 200) throw new Error(JSON.stringify(error));
  const { roomId, channel } = result as { roomId: string; channel: string };
  client.channels.add(channel);
  return { client, roomId, channel };
}

const create = (_id: string, body: JsonObject = {}) => ({
  controller: 'document',
  action: 'create',
  ...AT,
  _id,
  body,
});

describe.skipIf(!hasRedis())('realtime over several nodes', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;

  beforeAll(async () => {
    cluster = await openNodes(2);
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());

  it('passes version, metadata and room on to other nodes, where filters may name metadata', async () => {
    const body = { exists: { field: '_meta.createdAt' } };
    const { client, channel, roomId } = await subscribe(b, { body });
    const { _meta } = (await a.result(create('meta'))) as { readonly _meta: JsonObject };
    await a.result({ ...create('meta'), action: 'delete', body: null });
    await eventually(
      () => client.heard(channel),
      ({ length }) => length === 2,
    );
    expect(client.received.map(({ message }) => message)).toMatchObject([
      { roomId, action: 'create', result: { _id: 'meta', _version: 1, _meta } },
      { roomId, action: 'delete', result: { _id: 'meta', _version: 1, _meta } },
    ]);
    expect(_meta).toMatchObject({ createdAt: expect.any(Number) as number, updatedAt: null });
    client.close();
  });

  it('tells subscribers of one node what another writes, in order, with scope by effect', async () => {
    const { client, channel } = await subscribe(b, { body: { equals: { kind: 'x' } } });
    await a.result(create('1', { kind: 'x' }));
    const write = { controller: 'document', ...AT, _id: '1' };
    await a.result({ ...write, action: 'update', body: { n: 1 } });
    await a.result({ ...write, action: 'replace', body: { kind: 'y' } });
    await a.result({ ...write, action: 'replace', body: { kind: 'x' } });
    await a.result({ ...write, action: 'delete' });
    const heard = await eventually(
      () => client.heard(channel),
      ({ length }) => length >= 5,
    );
    expect(heard).toEqual(['create in 1', 'update in 1', 'update out 1', 'update in 1', 'delete out 1']);
    client.close();
  });

  it('receives nothing from before the subscription, however quickly it follows', async () => {
    const first = await subscribe(b);
    for (let n = 0; n < 30; n++) {
      await a.result(create(`early-${n}`));
      const { client, channel } = await subscribe(b);
      await a.result(create(`late-${n}`));
      await eventually(
        () => client.heard(channel),
        ({ length }) => length >= 1,
      );
      expect(client.heard(channel)).toEqual([`create in late-${n}`]);
      client.close();
    }
    await eventually(
      () => first.client.heard(first.channel),
      ({ length }) => length === 60,
    );
    first.client.close();
  });

  it('tells of published messages and of pending writes', async () => {
    const { client, channel } = await subscribe(b, { state: 'all' });
    await a.result({ controller: 'realtime', action: 'publish', ...AT, body: { text: 'hi' } });
    await a.result(create('p'));
    const heard = await eventually(
      () => client.heard(channel),
      ({ length }) => length >= 3,
    );
    expect(heard).toEqual(['publish in', 'create pending', 'create in p']);
    expect(client.received.at(-3)?.message.result).toEqual({ _source: { text: 'hi' } });
    client.close();
  });

  it('counts and lists subscribers of all nodes, and lets them join a room of another node', async () => {
    const here = await subscribe(a, { body: { equals: { room: 1 } }, users: 'all', metadata: { who: 'here' } });
    const there = await subscribe(b, { body: { equals: { room: 1 } }, metadata: { who: 'there' } });
    expect(there.roomId).toBe(here.roomId);
    const { roomId, channel } = here;
    for (const client of [here.client, there.client]) {
      const { result } = await client.request({ controller: 'realtime', action: 'count', body: { roomId } });
      expect(result).toEqual({ roomId, count: 2 });
    }
    expect(await b.result({ controller: 'realtime', action: 'list' })).toEqual({ shop: { things: { [roomId]: 2 } } });
    const moves = () =>
      here.client.received.map(({ message: { action, scope, result, metadata } }) => ({
        action,
        scope,
        result,
        metadata,
      }));
    expect(moves()).toEqual([
      { action: 'subscribe', scope: 'in', result: { roomId, count: 2 }, metadata: { who: 'there' } },
    ]); // prettier-ignore
    there.client.close();
    await eventually(moves, ({ length }) => length === 2);
    expect(moves()[1]).toEqual({
      action: 'unsubscribe',
      scope: 'out',
      result: { roomId, count: 1 },
      metadata: { who: 'there' },
    });
    const joining = b.connect();
    const joined = await joining.request({ controller: 'realtime', action: 'join', body: { roomId } });
    expect(joined.result).toMatchObject({ roomId });
    await a.result(create('joined', { room: 1 }));
    const heard = () => joining.heard((joined.result as { channel: string }).channel);
    expect(await eventually(heard, ({ length }) => length > 0)).toEqual(['create in joined']);
    await joining.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } });
    const { result } = await here.client.request({ controller: 'realtime', action: 'count', body: { roomId } });
    expect(result).toEqual({ roomId, count: 1 });
    here.client.close();
    expect(channel).toContain(roomId);
  });

  it('gives a node that comes later what the others hold, and takes it away when it stops', async () => {
    const here = await subscribe(a, { body: { equals: { room: 2 } }, users: 'out' });
    const c = await cluster.add();
    const there = await subscribe(c, { body: { equals: { room: 2 } } });
    const { roomId } = here;
    const count = { controller: 'realtime', action: 'count', body: { roomId } };
    expect((await there.client.request(count)).result).toEqual({ roomId, count: 2 });
    await c.result(create('from-c', { room: 2 }));
    await eventually(
      () => here.client.heard(here.channel),
      ({ length }) => length === 1,
    );
    await c.stop();
    await eventually(
      async () => (await here.client.request(count)).result,
      (result) => JSON.stringify(result) === JSON.stringify({ roomId, count: 1 }),
    );
    expect(here.client.heard(here.channel)).toEqual(['create in from-c', 'unsubscribe out']);
    here.client.close();
  });
});
