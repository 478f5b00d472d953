import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'things' };
const DEAD_AFTER_MS = 1_500;

describe.skipIf(!hasRedis())('a node that falls silent (docs/decisions/0011)', () => {
  let cluster: Nodes;
  let a: Node;

  beforeAll(async () => {
    cluster = await openNodes(2, { deadAfterMs: DEAD_AFTER_MS });
    [a] = cluster.nodes as [Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());

  const subscribe = async (node: Node, who: string) => {
    const client = node.connect();
    const { result } = await client.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: {},
      users: 'all',
      metadata: { who },
    });
    const { roomId, channel } = result as { roomId: string; channel: string };
    client.channels.add(channel);
    return { client, roomId, channel };
  };
  const count = async (node: Node, roomId: string) =>
    (await node.result({ controller: 'realtime', action: 'count', body: { roomId } }))['count'];

  it('is declared dead with its subscribers, each reported as gone; it comes back, and its subscribers receive the gap', async () => {
    const { node: c, proxy } = await cluster.addBehindProxy();
    const here = await subscribe(a, 'here');
    const there = [await subscribe(c, 'one'), await subscribe(c, 'two')];
    const { roomId } = here;
    expect(await count(a, roomId)).toBe(3);
    const gone = () =>
      here.client.received.flatMap(({ message }) => (message.action === 'unsubscribe' ? [message.metadata] : []));

    proxy.cut();
    await eventually(gone, ({ length }) => length === 2);
    expect(gone()).toEqual(expect.arrayContaining([{ who: 'one' }, { who: 'two' }]));
    expect(await count(a, roomId)).toBe(1);
    // It has left no write open.
    expect(here.client.heard(here.channel)).not.toContain('gap');
    await a.result({ controller: 'document', action: 'create', ...AT, _id: 'lost', body: {} });

    proxy.mend();
    await eventually(
      () => count(a, roomId),
      (value) => value === 3,
    );
    for (const { client, channel } of there) {
      await eventually(
        () => client.heard(channel),
        (heard) => heard.includes('gap'),
      );
    }
    await a.result({ controller: 'document', action: 'create', ...AT, _id: 'found', body: {} });
    for (const { client, channel } of there) {
      await eventually(
        () => client.heard(channel),
        (heard) => heard.includes('create in found'),
      );
    }
    expect(await count(c, roomId)).toBe(3);
  });
});
