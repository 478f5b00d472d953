import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { openNodes, type Node, type Nodes } from './openNodes.js';

const PASSWORD = 'correct-horse-7';
const LIMIT = { perSecond: 100, burst: 200 };
const FLOOD_MS = 2_000;

describe.skipIf(!hasRedis())('rate limits of several nodes (LIMIT-7)', () => {
  let cluster: Nodes;
  let admin: string;

  const login = async (username: string) => {
    const body = { username, password: PASSWORD };
    const { jwt } = await (cluster.nodes[0] as Node).result({
      controller: 'auth',
      action: 'login',
      strategy: 'local',
      body,
    });
    return jwt as string;
  };
  const open = async (id: string) => {
    const [node] = cluster.nodes as [Node];
    const secure = (action: string, _id: string, body: object) =>
      node.result({ controller: 'security', action, jwt: admin, _id, body });
    await secure('createProfile', id, { policies: [{ roleId: 'default' }], rateLimit: LIMIT });
    await secure('createUser', id, { profileIds: [id], password: PASSWORD });
    return login(id);
  };
  /** Sends on all nodes for some time, and then until each refuses. @returns accepted requests per expected one */
  const flood = async (jwt: string) => {
    const startMs = performance.now();
    let accepted = 0;
    const send = async (node: Node) => {
      for (;;) {
        const { status } = await node.ask({ controller: 'server', action: 'now', jwt });
        if (status === 200) accepted++;
        else if (performance.now() - startMs > FLOOD_MS) return;
        await new Promise((resolve) => setTimeout(resolve, status === 200 ? 0 : 10));
      }
    };
    await Promise.all(cluster.nodes.flatMap((node) => [send(node), send(node)]));
    const seconds = (performance.now() - startMs) / 1_000;
    return accepted / (LIMIT.burst + LIMIT.perSecond * seconds);
  };

  beforeAll(async () => {
    cluster = await openNodes(3);
    const [node] = cluster.nodes as [Node];
    await node.result({
      controller: 'security',
      action: 'createFirstAdmin',
      _id: 'root',
      body: { password: PASSWORD },
    });
    admin = await login('root');
  });
  afterAll(() => cluster.close());

  it('give each of two users its rate, within a tenth, whatever nodes it uses', async () => {
    const users = [await open('ada'), await open('bob')];
    for (const share of await Promise.all(users.map(flood))) {
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.1);
    }
  });

  it('divide the limit by the nodes while Redis is away', async () => {
    const jwt = await open('eve');
    await cluster.stopRedis();
    const share = await flood(jwt);
    await cluster.startRedis();
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(1.2);
  });
});
