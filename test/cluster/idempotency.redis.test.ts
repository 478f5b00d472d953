import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAction, definePlugin } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { openNodes, type Node, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'orders' };
const HOLD = { controller: 'held', action: 'hold' };

describe.skipIf(!hasRedis())('idempotency keys over several nodes', () => {
  let cluster: Nodes;
  let nodes: readonly Node[];
  let runs = 0;
  let release = () => {};
  const holding = definePlugin({
    name: 'holding',
    kernel: '^0.1.0',
    setup: (host) =>
      host.controller([
        defineAction({
          ...HOLD,
          summary: '',
          writes: true,
          access: 'public',
          routes: [],
          args: {},
          run: () => {
            runs++;
            return new Promise((resolve) => (release = () => resolve({ runs })));
          },
        }),
      ]),
  });

  beforeAll(async () => {
    cluster = await openNodes(2, {}, [holding]);
    nodes = cluster.nodes;
    await nodes[0]?.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());

  it('a repeat may be sent to another node (IDEM-13)', async () => {
    const [a, b] = nodes as [Node, Node];
    const create = {
      controller: 'document',
      action: 'create',
      ...AT,
      idempotencyKey: 'key-of-two-nodes',
      body: { n: 1 },
    };
    const first = await a.ask(create);
    expect(await b.ask(create)).toMatchObject({ status: 200, result: first.result, replayed: true });
    expect((await b.ask({ ...create, body: { n: 2 } })).status).toBe(422);
  });

  it('of many requests to all nodes at once one is executed (IDEM-6, IDEM-13)', async () => {
    const [a, b] = nodes as [Node, Node];
    const create = {
      controller: 'document',
      action: 'create',
      ...AT,
      idempotencyKey: 'key-of-a-race-0001',
      body: { race: 1 },
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? a : b).ask(create)));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const ids = answers.filter((answer) => answer.status === 200).map((answer) => JSON.stringify(answer.result));
    expect(new Set(ids).size).toBe(1);
  });

  it('a request that runs on one node is a 409 on the other (IDEM-13)', async () => {
    const [a, b] = nodes as [Node, Node];
    const held = { ...HOLD, idempotencyKey: 'key-of-a-held-one' };
    const first = a.ask(held);
    await expect.poll(() => runs).toBe(1);
    expect(await b.ask(held)).toMatchObject({ status: 409, error: { id: 'idempotency.in_progress' } });
    release();
    expect((await first).status).toBe(200);
    expect(await b.ask(held)).toMatchObject({ result: { runs: 1 }, replayed: true });
    expect(runs).toBe(1);
  });
});
