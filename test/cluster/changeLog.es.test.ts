import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

const ROUNDS = 15;

describe.skipIf(!hasRedis() || !hasElasticsearch())('the change log of three nodes on Elasticsearch', () => {
  const config = testConfig();
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let c: Node;

  beforeAll(async () => {
    const openEngine = () => startEngine(config);
    cluster = await openNodes(3, { deadAfterMs: 3_000 }, [], { openEngine });
    [a, b, c] = cluster.nodes as [Node, Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    await discard(await startEngine(config), config);
  });

  const lines = ({ lines: read }: Awaited<ReturnType<typeof subscribe>>) => read().map(({ line }) => line);
  const put = (node: Node, _id: string, body: JsonObject) =>
    node.result({ controller: 'document', action: 'createOrReplace', ...AT, _id, body });

  it('delivers competing writes of all nodes in the order of versions, and again on another node (LOG-1, LOG-11)', async () => {
    const witnesses = [await subscribe(a), await subscribe(b), await subscribe(c)];
    const write = async (node: Node, n: number) => {
      for (let i = 0; i < ROUNDS; i++) {
        await put(node, `hot-${i % 2}`, { colour: 'red', n, i });
        await put(node, `own-${n}-${i}`, { colour: i % 2 === 0 ? 'red' : 'blue' });
      }
    };
    await Promise.all([a, b, c].map(write));
    await put(a, 'last', { colour: 'red' });
    for (const witness of witnesses)
      await eventually(
        () => lines(witness),
        (all) => all.includes('create in last'),
      );
    const [first] = witnesses;
    expect(first?.lines().filter(({ line }) => line.includes('hot'))).toHaveLength(3 * ROUNDS);
    for (const witness of witnesses) expect(witness.lines()).toEqual(first?.lines());
    const versions = (id: string) =>
      first?.client.received.flatMap(({ message }) => {
        const { _id: of, _version: version } = message.result ?? {};
        return of === id ? [version] : [];
      }) ?? [];
    for (const id of ['hot-0', 'hot-1']) {
      expect(versions(id)).toEqual(Array.from({ length: versions(id).length }, (_, n) => n + 1));
    }
    const again = await subscribe(c, { cursor: first?.answer.cursor ?? '' });
    await eventually(
      () => lines(again),
      (all) => all.includes('resumed'),
    );
    const replayed = again.lines().filter(({ line }) => line.endsWith(' replayed'));
    expect(replayed.map(({ line, cursor }) => ({ line: line.replace(' replayed', ''), cursor }))).toEqual(
      first?.lines(),
    );
  }, 120_000);

  it('is interrupted by a gap if a node died before it could record a change (LOG-11)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(b);
    cluster.afterWrite = async (operations) => {
      if (operations.some(({ id }) => id === 'dying')) proxy.cut();
    };
    void node.ask({ controller: 'document', action: 'create', ...AT, _id: 'dying', body: { colour: 'red' } });
    await eventually(
      () => lines(witness),
      (all) => all.includes('gap node_lost'),
    );
    await put(c, 'after', { colour: 'red' });
    await eventually(
      () => lines(witness),
      (all) => all.includes('create in after'),
    );
    expect(lines(witness)).toEqual(['gap node_lost', 'create in after']);
  }, 120_000);

  it('is interrupted by a gap if a node died that wrote while Redis was away (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await put(node, 'recorded', { colour: 'red' });
    proxy.cut();
    await put(node, 'unrecorded', { colour: 'red' });
    await eventually(
      () => lines(witness),
      (all) => all.includes('gap node_lost'),
      120_000,
    );
    expect(lines(witness)).toEqual(['create in recorded', 'gap node_lost']);
  }, 150_000);

  it('has a truncate as the removal of each document for those who are there, in order', async () => {
    const witness = await subscribe(c);
    await b.result({ controller: 'collection', action: 'truncate', ...AT });
    await put(a, 'fresh', { colour: 'red' });
    await eventually(
      () => lines(witness),
      (all) => all.includes('create in fresh'),
    );
    expect(lines(witness)).toContain('delete out last');
    expect(lines(witness).filter((line) => line.startsWith('gap'))).toEqual([]);
    const again = await subscribe(a, { cursor: witness.answer.cursor });
    await eventually(
      () => lines(again),
      (all) => all.includes('resumed'),
    );
    expect(lines(again).filter((line) => line.endsWith(' replayed'))).toHaveLength(lines(witness).length);
  }, 120_000);
});
