/* Messages between nodes in any form: none ends a process or leaves an unhandled rejection. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Chance } from '../differential/Chance.js';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'things' };
const STREAM = '{millrace}:cluster:stream';
const STRANGER = 'feedfacefeedface';
const MESSAGES = 3_000;
const TOPICS = [
  'realtime.change', 'realtime.pending', 'realtime.wiped', 'realtime.message', 'realtime.member', 'realtime.held',
  'storage.index', 'storage.specification', 'security.user', 'security.profile', 'security.role', 'security.apiKey',
  'security.revoked', 'security.refreshed', 'security.failure', 'security.changedElsewhere', 'log.change', 'log.intent',
  'log.done', 'log.wiped', 'log.covered', 'log.uncovered', 'log.gone', 'log.erased', '~beat', '~hello', '~wanted', '~sync',
  '~synced', '~ask', '~answer', '~what',
]; // prettier-ignore
const QUESTIONS = ['realtime.name', 'storage.scroll.place', 'storage.scroll.next', 'log.cover', 'log.idle', 'x'];
const IMAGE = { source: { a: 1 }, version: 1, meta: { createdAt: 1 } };
const ORIGIN = { requestId: 'r', connectionId: 'c', metadata: {} };
const BODIES: readonly object[] = [
  { id: 'a', before: null, after: IMAGE, atMs: 1, origin: ORIGIN, isSilent: false, kind: 'create', version: 1 },
  { id: 'a', kind: 'create', source: { a: 1 }, meta: IMAGE.meta, origin: ORIGIN, atMs: 1, message: { a: 1 } },
  { rooms: [{ id: 'r', index: 'shop', collection: 'things', filter: {}, count: 1, connections: ['c'] }] },
  { atMs: 1, origin: ORIGIN, isSilent: false, befores: [IMAGE, null] },
  { expiresAtMs: 1, previous: { tokenId: 't', userId: 'u', expiresAtMs: 1 }, session: { tokenId: 't', userId: 'u', expiresAtMs: 1 } },
  { key: 'k', reason: 'taken_over', version: 1, scrollId: 's', owner: 'o', read: 'x', redeem: 'x' },
]; // prettier-ignore
const ODD: readonly unknown[] = [null, true, -1, 1e308, '', 'x', '__proto__', [], [null], [[]], {}, { x: null }];

describe.skipIf(!hasRedis())('messages between nodes in any form', () => {
  let cluster: Nodes;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  beforeAll(async () => {
    cluster = await openNodes(2);
    await (cluster.nodes[0] as Node).result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(() => void process.off('unhandledRejection', note));

  it('leave the nodes at work', async () => {
    const [a, b] = cluster.nodes as [Node, Node];
    const { services } = (await a.health()) as { services: { cluster: { nodeId?: string } } };
    const chance = new Chance(20_261_123);
    const socket = connect(cluster.redisPort, '127.0.0.1');
    await once(socket, 'connect');
    socket.resume();
    for (let number = 1; number <= MESSAGES; number++) {
      const topic = chance.of(TOPICS);
      const words = [
        'XADD',
        STREAM,
        '*',
        'n',
        STRANGER,
        `${number} ${topic} ${keyOf(chance, topic, services.cluster.nodeId)}`,
        bodyOf(chance),
      ];
      const encoded = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('');
      socket.write(`*${words.length}\r\n${encoded}`);
      if (number % 100 === 0) await sleep(5);
    }
    const malformed = async () => {
      const found = (await b.health()) as { services: { cluster: { malformed: number } } };
      return found.services.cluster.malformed;
    };
    await eventually(malformed, (found) => found > MESSAGES / 10);
    const client = b.connect();
    const request = { controller: 'realtime', action: 'subscribe', ...AT, body: {} };
    const { channel } = (await client.request(request)).result as { channel: string };
    let count = 0;
    await eventually(
      async () => {
        const _id = `w${++count}`;
        await a.ask({ controller: 'document', action: 'create', ...AT, _id, body: {} });
        return client.heard(channel);
      },
      (heard) => heard.some((each) => each.startsWith('create in w')),
    );
    socket.destroy();
    client.close();
    expect(unhandled).toEqual([]);
  }, 120_000);
});

function keyOf(chance: Chance, topic: string, nodeId = ''): string {
  const keys = ['', 'shop/things', 'shop', `1 shop/things`, '[["shop/things","a"]]', '__proto__/x', 'x'.repeat(300)];
  if (topic !== '~ask') return chance.of(keys);
  return `${chance.of([nodeId, '', 'x'])} ${chance.of(['1', 'x'])} ${chance.of(QUESTIONS)}`;
}

/** A body of a form that some message has, with one member exchanged or removed; or none of them. */
function bodyOf(chance: Chance): string {
  if (chance.percent(15)) return chance.of(['', '{', 'null', '1', '[]', '"x"', '{"__proto__":{"x":1}}']);
  const body: Record<string, unknown> = { ...chance.of(BODIES) };
  if (chance.percent(20)) return JSON.stringify(body);
  const key = chance.of(Object.keys(body));
  if (chance.percent(30)) delete body[key];
  else body[key] = chance.of(ODD);
  return JSON.stringify(body);
}
