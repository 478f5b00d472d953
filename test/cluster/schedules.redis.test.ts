import { definePlugin } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Nodes } from './openNodes.js';

const LONG_MS = 45_000;

describe.skipIf(!hasRedis())('schedules of a plugin on several nodes', () => {
  /** The runs of each node, in the order in which the nodes were started: when each was due, in UTC milliseconds. */
  const runs: number[][] = [];
  let nodeCount = 0;
  let cluster: Nodes;

  const plugin = definePlugin({
    name: 'chores',
    kernel: '^0.1.0',
    setup(host) {
      const dueTimesMs: number[] = [];
      const node = nodeCount++;
      runs[node] = dueTimesMs;
      host.schedule('tick', { cron: '* * * * * *' }, async ({ dueAtMs }) => {
        dueTimesMs.push(dueAtMs);
        // Later than the next tick on one node: the others must not make up for it meanwhile.
        if (node === 0) await new Promise((resolve) => setTimeout(resolve, 1_200));
      });
    },
  });
  const all = () => runs.flat().sort((a, b) => a - b);
  const afterMore = (count: number) => {
    const before = runs.flat().length;
    return eventually(
      () => runs.flat().length,
      (length) => length >= before + count,
      LONG_MS,
    );
  };

  beforeAll(async () => {
    cluster = await openNodes(3, {}, [plugin]);
  });
  afterAll(() => cluster.close());

  it('run once per tick', async () => {
    await afterMore(6);
    expect(runs).toHaveLength(3);
    const dueTimesMs = all();
    expect(new Set(dueTimesMs).size, String(dueTimesMs)).toBe(dueTimesMs.length);
    for (const ms of dueTimesMs) expect(ms % 1_000).toBe(0);
  });

  it('go on, still once per tick, when a node stops and another joins', async () => {
    await cluster.nodes[0]?.stop();
    const stopped = runs[0]?.length;
    await afterMore(2);
    await cluster.add();
    await cluster.nodes[1]?.stop();
    await cluster.nodes[2]?.stop();
    await eventually(
      () => runs[3]?.length ?? 0,
      (length) => length >= 2,
      LONG_MS,
    );
    expect(runs[0]).toHaveLength(stopped ?? -1);
    const dueTimesMs = all();
    expect(new Set(dueTimesMs).size, String(dueTimesMs)).toBe(dueTimesMs.length);
  });

  it('go on without Redis: their state is in the store', async () => {
    await cluster.stopRedis();
    await afterMore(2);
    const dueTimesMs = all();
    expect(new Set(dueTimesMs).size, String(dueTimesMs)).toBe(dueTimesMs.length);
  });
});
