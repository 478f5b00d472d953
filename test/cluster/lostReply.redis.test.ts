import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import type { RedisProxy } from './RedisProxy.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

describe.skipIf(!hasRedis())('an entry whose reply from Redis was lost', () => {
  let cluster: Nodes;
  let a: Node;
  let node: Node;
  let proxy: RedisProxy;

  const redis = (...command: readonly string[]): unknown =>
    JSON.parse(execFileSync('redis-cli', ['-p', String(cluster.redisPort), '--json', ...command]).toString());
  /** Sender and first message of each entry. */
  const entries = () => {
    const [key = ''] = redis('KEYS', '*:cluster:stream') as string[];
    const read = redis('XRANGE', key, '-', '+') as [string, string[]][];
    return read.map(([, [, from, head]]) => `${from} ${head}`);
  };

  beforeEach(async () => {
    cluster = await openNodes(1, { deadAfterMs: 30_000 });
    [a] = cluster.nodes as [Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
    ({ node, proxy } = await cluster.addBehindProxy());
  });
  afterEach(() => cluster.close());

  it('is appended again only if it is not there (LOG-2, LOG-11)', async () => {
    const witness = await subscribe(a);
    const lines = () => witness.lines().map(({ line }) => line);
    const create = (_id: string) => ({
      controller: 'document',
      action: 'create',
      ...AT,
      _id,
      body: { colour: 'red' },
    });
    cluster.afterWrite = async (operations) => {
      if (operations.some(({ id }) => id === 'doubtful')) proxy.loseReplies();
    };
    const written = node.result(create('doubtful'));
    await eventually(lines, (all) => all.includes('create in doubtful'));
    proxy.cut();
    proxy.mend();
    await written;
    await a.result(create('after'));
    await eventually(lines, (all) => all.includes('create in after'));
    expect(lines()).toEqual(['create in doubtful', 'create in after']);
    const again = await subscribe(a, { cursor: witness.answer.cursor });
    const replayed = () => again.lines().map(({ line }) => line);
    await eventually(replayed, (all) => all.includes('resumed'));
    expect(replayed()).toEqual(['create in doubtful replayed', 'create in after replayed', 'resumed']);
    expect(entries()).toEqual([...new Set(entries())]);
  });
});
