import { silentLogger, type Logger } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const PASSWORD = 'correct-horse-7';
const AT = { index: 'shop', collection: 'things' };

describe.skipIf(!hasRedis())('a cluster whose Redis goes away (docs/decisions/0011)', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let admin: string;
  const logged: string[] = [];
  const note = (_: unknown, message?: string) => void logged.push(message ?? '');
  const logger: Logger = { ...silentLogger, info: note, warn: note, child: () => logger };

  const login = async (node: Node) => {
    const body = { username: 'root', password: PASSWORD };
    const { jwt } = await node.result({ controller: 'auth', action: 'login', strategy: 'local', body });
    return jwt as string;
  }; // prettier-ignore
  const clusterState = async (node: Node) => {
    const { services } = (await node.health()) as { services: { cluster: { state: string } } };
    return services.cluster.state;
  };
  const subscribe = async (node: Node, body: object) => {
    const client = node.connect();
    const request = { controller: 'realtime', action: 'subscribe', ...AT, body, jwt: admin };
    const { result } = await client.request(request);
    const { channel } = result as { channel: string };
    client.channels.add(channel);
    return { client, channel };
  };
  const create = (_id: string, n: number) => ({
    controller: 'document',
    action: 'create',
    ...AT,
    _id,
    body: { n },
    jwt: admin,
  });

  beforeAll(async () => {
    cluster = await openNodes(2, { deadAfterMs: 2_000 }, [], { logger });
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'security', action: 'createFirstAdmin', _id: 'root', body: { password: PASSWORD } });
    admin = await login(a);
    await a.result({ controller: 'collection', action: 'create', ...AT, jwt: admin });
  });
  afterAll(() => cluster.close());

  it('goes on, says so, loses no revocation meanwhile, and heals (HEALTH-6)', async () => {
    const early = await subscribe(b, { equals: { n: 1 } });
    const stolen = await login(a);
    expect(await clusterState(a)).toBe('up');
    expect((await b.ask({ controller: 'auth', action: 'getCurrentUser', jwt: stolen })).status).toBe(200);

    // A busy machine may have lost a connection before.
    const loggedBefore = logged.length;
    await cluster.stopRedis();
    await eventually(
      () => clusterState(a),
      (state) => state === 'down',
    );
    await eventually(
      () => clusterState(b),
      (state) => state === 'down',
    );
    // Longer than any node counts as dead.
    const endMs = performance.now() + 3_000;
    let created = 0;
    for (; created < 20 || performance.now() < endMs; created++) {
      await a.result(create(`during-${created}`, 1));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await a.result({ controller: 'auth', action: 'logout', jwt: stolen });
    expect((await b.ask({ controller: 'auth', action: 'getCurrentUser', jwt: stolen })).status).toBe(401);
    const late = await subscribe(b, { equals: { n: 2 } });
    await a.result(create('unheard', 2));
    await b.result(create('own', 2));
    await eventually(
      () => late.client.heard(late.channel),
      (heard) => heard.includes('create in own'),
    );

    await cluster.startRedis();
    await eventually(
      () => clusterState(a),
      (state) => state === 'up',
    );
    await eventually(
      () => clusterState(b),
      (state) => state === 'up',
    );
    // Their order among the writes of both nodes is not known: the subscriber receives a gap, then changes again.
    let after = 0;
    const heard = await eventually(
      async () => {
        await a.result(create(`after-${after++}`, 1));
        return early.client.heard(early.channel);
      },
      (all) => all.some((each) => each.startsWith('create in after')),
    );
    expect(heard[0]).toBe('gap');
    expect(heard.filter((each) => each.startsWith('create in during'))).toEqual([]);
    // The other node could not know of it either.
    await eventually(
      () => late.client.heard(late.channel),
      (all) => all.includes('gap'),
    );
    await a.result(create('live', 2));
    await eventually(
      () => late.client.heard(late.channel),
      (all) => all.includes('create in live'),
    );
    expect((await b.ask({ controller: 'auth', action: 'getCurrentUser', jwt: stolen })).status).toBe(401);
    // One line for each node, although each has three connections.
    const lines = () => logged.slice(loggedBefore).filter((line) => line.startsWith('the Redis of the cluster is'));
    await eventually(lines, ({ length }) => length === 4);
    expect(new Set(lines())).toEqual(
      new Set(['the Redis of the cluster is unavailable', 'the Redis of the cluster is back']),
    );
  });
});
