import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import type { MemoryClient } from '../realtime/MemoryProtocol.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'things' };
const STREAM = '{millrace}:cluster:stream';
const STRANGER = 'feedfacefeedface';

/** One command to Redis. */
function send(port: number, ...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const encoded = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('');
      socket.write(`*${words.length}\r\n${encoded}`);
    });
    socket.once('error', reject);
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString());
    });
  });
}

describe.skipIf(!hasRedis())('what comes from Redis is believed in nothing but its form', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;

  beforeAll(async () => {
    cluster = await openNodes(2);
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());

  const figures = async (node: Node) =>
    ((await node.health()) as { services: { cluster: Record<string, number> } }).services.cluster;
  const add = (...fields: string[]) => send(cluster.redisPort, 'XADD', STREAM, '*', ...fields);

  /**
   * Writes until the client receives a notification of a write. The stranger counts as a node, and is silent: its death
   * leaves gaps in place of earlier changes (LOG-11).
   */
  const receives = async (client: MemoryClient, channel: string) => {
    let count = 0;
    await eventually(
      async () => {
        await a.result({ controller: 'document', action: 'create', ...AT, _id: `w${++count}`, body: {} });
        return client.heard(channel);
      },
      (heard) => heard.some((each) => each.startsWith('create in w')),
    );
    await a.result({ controller: 'collection', action: 'truncate', ...AT });
  };

  it('drops and counts what is malformed, and goes on', async () => {
    const before = (await figures(a))['malformed'] ?? 0;
    const bodies = ['', '{', 'null', '[]', '{"id":1}', '{"rooms":[1]}', '{"__proto__":{"x":1}}'];
    const topics = [
      'realtime.change',
      'realtime.pending',
      'realtime.message',
      'realtime.member',
      'realtime.held',
      'security.revoked',
      'security.refreshed',
      'storage.specification',
      'nobody.knows',
      '~what',
      '~ask',
      '~answer',
    ];
    await add('x', 'y');
    await add('n', '../..', '1 realtime.change a/b', '{}');
    let number = 0;
    for (const topic of topics) {
      for (const body of bodies) {
        await add('n', STRANGER, `${++number} ${topic} shop/things`, body);
        await add('n', STRANGER, `${++number} ${topic} `, body);
      }
    }
    await eventually(
      () => figures(a),
      (found) => (found['malformed'] ?? 0) > before + 20,
    );
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
    const client = b.connect();
    const { result } = await client.request({ controller: 'realtime', action: 'subscribe', ...AT, body: {} });
    const { channel } = result as { channel: string };
    await receives(client, channel);
    client.close();
  });

  it('takes a jump in the numbers of a sender as a loss, and tells subscribers', async () => {
    const client = b.connect();
    const { result } = await client.request({ controller: 'realtime', action: 'subscribe', ...AT, body: {} });
    const { channel } = result as { channel: string };
    await add('n', STRANGER, '5000 ~beat 1', '');
    await add('n', STRANGER, '5000 ~beat 1', '');
    await eventually(
      () => client.heard(channel),
      (heard) => heard.includes('gap'),
    );
    client.close();
  });

  it('reads a stream that came back empty from its beginning', async () => {
    const client = b.connect();
    const { result } = await client.request({ controller: 'realtime', action: 'subscribe', ...AT, body: {} });
    const { channel } = result as { channel: string };
    await send(cluster.redisPort, 'DEL', STREAM);
    await receives(client, channel);
    client.close();
  });
});
