import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

const DEAD_AFTER_MS = 1_500;

describe.skipIf(!hasRedis())('the last changes of a node that is lost', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;

  const create = (_id: string) => ({
    controller: 'document', action: 'create', ...AT, _id, body: { colour: 'red' },
  }); // prettier-ignore
  const replace = (_id: string, colour: string) => ({
    controller: 'document', action: 'createOrReplace', ...AT, _id, body: { colour },
  }); // prettier-ignore
  const lines = ({ lines: read }: Awaited<ReturnType<typeof subscribe>>) =>
    read().map(({ line }) => line);
  /** Waits until a node knows of so many nodes, itself included. */
  const counts = (node: Node, nodes: number) =>
    eventually(node.health, ({ services }) => {
      const { cluster: link } = services as { cluster: { state: string; nodes: number } };
      return link.state === 'up' && link.nodes === nodes;
    });

  beforeEach(async () => {
    cluster = await openNodes(2, { deadAfterMs: DEAD_AFTER_MS });
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterEach(() => cluster.close());

  it('are found out by one of the others: made, but not yet recorded (LOG-11)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witnesses = [await subscribe(a), await subscribe(b)];
    await node.result(create('kept'));
    await node.result(create('gone'));
    cluster.afterWrite = async (operations) => {
      if (operations.some(({ id }) => id === 'gone')) proxy.cut();
    };
    void node.ask({ controller: 'document', action: 'delete', ...AT, _id: 'gone' });
    const expected = ['create in kept', 'create in gone', 'delete out gone'];
    for (const witness of witnesses)
      await eventually(() => lines(witness), (all) => all.includes('delete out gone'));
    await a.result(create('later'));
    await counts(a, 2);
    for (const witness of witnesses) {
      await eventually(() => lines(witness), (all) => all.includes('create in later'));
      expect(lines(witness)).toEqual([...expected, 'create in later']);
    }
    const again = await subscribe(a, { cursor: witnesses[0]?.answer.cursor ?? '' });
    await eventually(() => lines(again), (all) => all.includes('resumed'));
    expect(lines(again)).toEqual([
      ...[...expected, 'create in later'].map((line) => `${line} replayed`),
      'resumed',
    ]);

    // It was alive: what it sends now has been recorded by the others.
    proxy.mend();
    await counts(a, 3);
    await counts(node, 3);
    await node.result(create('back'));
    for (const witness of witnesses) {
      await eventually(() => lines(witness), (all) => all.includes('create in back'));
      expect(lines(witness)).toEqual([...expected, 'create in later', 'create in back']);
    }
  }); // prettier-ignore

  it('leave nothing behind where the write was not made', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await node.result(create('kept'));
    proxy.cut();
    await counts(a, 2);
    await b.result(replace('kept', 'blue'));
    await eventually(() => lines(witness), (all) => all.includes('update out kept'));
    expect(lines(witness)).toEqual(['create in kept', 'update out kept']);
  }); // prettier-ignore

  it('are a gap if it wrote while Redis was away from it (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await node.result(create('kept'));
    proxy.cut();
    await node.result(create('unheard'));
    await counts(a, 2);
    await eventually(() => lines(witness), (all) => all.includes('gap node_lost'));
    const again = await subscribe(b, { cursor: witness.answer.cursor });
    expect(again.answer).toMatchObject({ resumed: false, gap: { reason: 'node_lost' } });
  }); // prettier-ignore
});
