import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { freePort, hasRedis, startRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

const create = (_id: string) => ({
  controller: 'document',
  action: 'create',
  ...AT,
  _id,
  body: { colour: 'red' },
});

/** The cursor before a change of two nodes whose Redis is restarted after it. */
async function restartAfterChange(cluster: Nodes): Promise<string> {
  const [a, b] = cluster.nodes as [Node, Node];
  await a.result({ controller: 'collection', action: 'create', ...AT });
  const first = await subscribe(a);
  await b.result(create('missed'));
  first.client.close();
  const state = async (node: Node) => {
    const { services } = (await node.health()) as { services: { cluster: { state: string } } };
    return services.cluster.state;
  };
  await cluster.stopRedis();
  for (const node of [a, b]) await eventually(() => state(node), (is) => is === 'down');
  await cluster.startRedis();
  for (const node of [a, b]) await eventually(() => state(node), (is) => is === 'up');
  return first.answer.cursor;
} // prettier-ignore

describe.skipIf(!hasRedis())('a restart of the Redis of a cluster', () => {
  it('keeps the epoch and the changes if Redis keeps its data (LOG-13)', async () => {
    const cluster = await openNodes(2, {}, [], { isDurable: true });
    try {
      const cursor = await restartAfterChange(cluster);
      const [, b] = cluster.nodes as [Node, Node];
      const again = await subscribe(b, { cursor });
      expect(again.answer).toMatchObject({ resumed: true });
      await eventually(again.lines, (all) => all.some(({ line }) => line === 'resumed'));
      expect(again.lines().map(({ line }) => line)).toEqual(['create in missed replayed', 'resumed']);
    } finally {
      await cluster.close();
    }
  });

  it('begins another epoch if Redis loses its data (LOG-13)', async () => {
    const cluster = await openNodes(2);
    try {
      const cursor = await restartAfterChange(cluster);
      const [a, b] = cluster.nodes as [Node, Node];
      const again = await subscribe(b, { cursor });
      expect(again.answer).toMatchObject({ resumed: false, gap: { reason: 'epoch_changed' } });
      expect(again.answer.cursor.split('.')[0]).not.toBe(cursor.split('.')[0]);
      again.client.close();
      await b.result(create('next'));
      const next = await subscribe(a, { cursor: again.answer.cursor });
      await eventually(next.lines, (all) => all.some(({ line }) => line === 'resumed'));
      expect(next.lines().map(({ line }) => line)).toEqual(['create in next replayed', 'resumed']);
    } finally {
      await cluster.close();
    }
  });
});

describe.skipIf(!hasRedis())('a Redis that has lost its last entries', () => {
  it('gets another epoch although other nodes have appended since, and subscribers receive a gap (LOG-13)', async () => {
    const cluster = await openNodes(2);
    try {
      const [a, b] = cluster.nodes as [Node, Node];
      await a.result({ controller: 'collection', action: 'create', ...AT });
      const witness = await subscribe(b);
      await a.result(create('before'));
      await eventually(witness.lines, (all) => all.some(({ line }) => line === 'create in before'));
      const remove = `local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1); redis.call('XDEL', KEYS[1], last[1][1]); redis.call('XADD', KEYS[1], '*', 'n', 'zzzzzzzz')`;
      const stream = '{millrace}:cluster:stream';
      const commands = ['MULTI', `EVAL "${remove}" 1 ${stream}`, 'CLIENT KILL TYPE normal SKIPME yes', 'EXEC'];
      execFileSync('redis-cli', ['-p', String(cluster.redisPort)], { input: commands.join('\n') });
      await eventually(witness.lines, (all) => all.some(({ line }) => line === 'gap node_lost'));
      const again = await subscribe(a, { cursor: witness.answer.cursor });
      expect(again.answer).toMatchObject({ resumed: false, gap: { reason: 'epoch_changed' } });
    } finally {
      await cluster.close();
    }
  });
});

describe.skipIf(!hasRedis())('a Redis that deletes keys when its memory is full', () => {
  it('is refused at the start, with the setting to change (LOG-15)', async () => {
    const more = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
    const redis = await startRedis(undefined, { more });
    const url = redis.url;
    try {
      await expect(openNodes(1, { redis: { url, silenceTimeoutMs: 1_000 } })).rejects.toMatchObject({
        id: 'core.invalid_config',
        message: expect.stringContaining('set maxmemory-policy noeviction') as string,
      });
    } finally {
      await redis.close();
    }
  });

  it('is admitted, with a warning, where INFO is not allowed (LOG-15)', async () => {
    const port = await freePort();
    const redis = await startRedis(port);
    const { url } = redis;
    execFileSync('redis-cli', ['-p', String(port), 'ACL', 'SETUSER', 'default', '-info']);
    const warnings: unknown[] = [];
    const warn = (...args: readonly unknown[]) => void warnings.push(args.at(-1));
    const logger = { ...silentLogger, warn, child: () => logger };
    try {
      const cluster = await openNodes(1, { redis: { url, silenceTimeoutMs: 1_000 } }, [], {
        logger,
      });
      await cluster.close();
    } finally {
      await redis.close();
    }
    expect(warnings).toContainEqual(expect.stringContaining('check that maxmemory-policy'));
  });

  it('is admitted if its memory is not limited (LOG-15)', async () => {
    const redis = await startRedis(undefined, { more: ['--maxmemory-policy', 'allkeys-lru'] });
    const { url } = redis;
    try {
      const cluster = await openNodes(1, { redis: { url, silenceTimeoutMs: 1_000 } });
      await cluster.close();
    } finally {
      await redis.close();
    }
  });
});
