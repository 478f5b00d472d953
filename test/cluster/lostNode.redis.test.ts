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
    controller: 'document',
    action: 'create',
    ...AT,
    _id,
    body: { colour: 'red' },
  });
  const replace = (_id: string, colour: string) => ({
    controller: 'document',
    action: 'createOrReplace',
    ...AT,
    _id,
    body: { colour },
  });
  const lines = ({ lines: read }: Awaited<ReturnType<typeof subscribe>>) => read().map(({ line }) => line);
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

  it('are a gap for every subscriber and every resume: made, but not yet recorded (LOG-11)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witnesses = [await subscribe(a), await subscribe(b)];
    await node.result(create('kept'));
    await node.result(create('gone'));
    cluster.afterWrite = async (operations) => {
      if (operations.some(({ id }) => id === 'gone')) proxy.cut();
    };
    void node.ask({ controller: 'document', action: 'delete', ...AT, _id: 'gone' });
    const expected = ['create in kept', 'create in gone', 'gap node_lost'];
    for (const witness of witnesses)
      await eventually(
        () => lines(witness),
        (all) => all.includes('gap node_lost'),
      );
    await a.result(create('later'));
    await counts(a, 2);
    for (const witness of witnesses) {
      await eventually(
        () => lines(witness),
        (all) => all.includes('create in later'),
      );
      expect(lines(witness)).toEqual([...expected, 'create in later']);
    }
    const again = await subscribe(a, { cursor: witnesses[0]?.answer.cursor ?? '' });
    expect(again.answer).toMatchObject({ resumed: false, gap: { reason: 'node_lost' } });

    // It was alive: its change comes late, and a gap follows.
    proxy.mend();
    await counts(a, 3);
    await counts(node, 3);
    for (const witness of witnesses) {
      await eventually(
        () => lines(witness),
        (all) => all.slice(expected.length).includes('gap node_lost'),
      );
      expect(lines(witness)).toEqual([...expected, 'create in later', 'delete out gone', 'gap node_lost']);
    }
    await node.result(create('back'));
    for (const witness of witnesses)
      await eventually(
        () => lines(witness),
        (all) => all.at(-1) === 'create in back',
      );
  });

  it('are a gap at the next start if no node was left (LOG-11)', async () => {
    const lost = [await cluster.addBehindProxy(), await cluster.addBehindProxy()];
    const writer = lost[0]?.node as Node;
    const witness = await subscribe(writer);
    await writer.result(create('kept'));
    await writer.result(create('gone'));
    await eventually(
      () => lines(witness),
      (all) => all.includes('create in gone'),
    );
    for (const { kernel } of [a, b]) await kernel.stop();
    cluster.afterWrite = async (operations) => {
      if (operations.some(({ id }) => id === 'gone')) for (const { proxy } of lost) proxy.cut();
    };
    const { cursor } = witness.lines().at(-1) ?? { cursor: '' };
    void writer.ask({ controller: 'document', action: 'delete', ...AT, _id: 'gone' });
    await eventually(
      writer.health,
      ({ services }) => (services as { cluster: { state: string } }).cluster.state === 'down',
    );
    // No node is registered any more when the next one starts.
    await new Promise((resolve) => setTimeout(resolve, 2 * DEAD_AFTER_MS));
    cluster.afterWrite = undefined;
    const next = await cluster.add();
    const after = await subscribe(next, { cursor });
    await eventually(
      () => lines(after),
      (all) => all.includes('gap node_lost'),
    );
    await next.result(create('later'));
    await eventually(
      () => lines(after),
      (all) => all.some((line) => line.startsWith('create in later')),
    );
    const late = await subscribe(next, { cursor });
    expect(late.answer).toMatchObject({ resumed: false, gap: { reason: 'node_lost' } });
  });

  it('let others write the same documents, once the node is declared dead (LOG-11)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await a.result(create('kept'));
    let isCut = false;
    cluster.afterWrite = async (operations) => {
      if (isCut || !operations.some(({ id }) => id === 'kept')) return;
      isCut = true;
      proxy.cut();
    };
    void node.ask(create('kept'));
    await eventually(
      () => isCut,
      (cut) => cut,
    );
    await a.result(replace('kept', 'blue'));
    await eventually(
      () => lines(witness),
      (all) => all.includes('update out kept'),
    );
    expect(lines(witness)).toEqual(['create in kept', 'gap node_lost', 'update out kept']);
  });

  it('leave nothing behind where the write was not made', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await node.result(create('kept'));
    proxy.cut();
    await counts(a, 2);
    await b.result(replace('kept', 'blue'));
    await eventually(
      () => lines(witness),
      (all) => all.includes('update out kept'),
    );
    expect(lines(witness)).toEqual(['create in kept', 'update out kept']);
  });

  it('are a gap if it wrote while Redis was away from it (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(a);
    await node.result(create('kept'));
    proxy.cut();
    await node.result(create('unheard'));
    await counts(a, 2);
    await eventually(
      () => lines(witness),
      (all) => all.includes('gap node_lost'),
    );
    const again = await subscribe(b, { cursor: witness.answer.cursor });
    expect(again.answer).toMatchObject({ resumed: false, gap: { reason: 'node_lost' } });
  });

  it('are a gap, not notifications in a wrong order, if it lives and others wrote meanwhile (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witnesses = [await subscribe(a), await subscribe(node)];
    await a.result(create('both'));
    for (const witness of witnesses)
      await eventually(
        () => lines(witness),
        (all) => all.includes('create in both'),
      );
    proxy.cut();
    await eventually(
      node.health,
      ({ services }) => (services as { cluster: { state: string } }).cluster.state === 'down',
    );
    await node.result(replace('both', 'red'));
    await a.result(replace('both', 'red'));
    proxy.mend();
    await counts(node, 3);
    let n = 0;
    for (const witness of witnesses) {
      await eventually(
        async () => {
          await a.result(create(`again-${n++}`));
          return lines(witness);
        },
        (all) => all.some((line) => line.startsWith('create in again')),
      );
      expect(lines(witness)).toContain('gap node_lost');
    }
    const of = (witness: (typeof witnesses)[number]) => lines(witness).filter((line) => line.startsWith('update'));
    // Version 2 is not recorded: only those who got it first may see it, and no one sees it after version 3.
    expect(of(witnesses[0] as (typeof witnesses)[number])).toEqual(['update in both']);
    expect(of(witnesses[1] as (typeof witnesses)[number])).toEqual(['update in both']);
  });
});

describe.skipIf(!hasRedis())('a subscription that a silent node does not know', () => {
  it('receives a gap before anything newer, once that node is declared dead (RESUME-21, PROTO-89)', async () => {
    const cluster = await openNodes(2, { deadAfterMs: 6_000 });
    try {
      const [a, b] = cluster.nodes as [Node, Node];
      const write = (_id: string) =>
        b.result({ controller: 'document', action: 'createOrReplace', ...AT, _id, body: { colour: 'red' } });
      await a.result({ controller: 'collection', action: 'create', ...AT });
      const { proxy } = await cluster.addBehindProxy();
      const ask = (colour: string) => ({
        controller: 'realtime',
        action: 'subscribe',
        ...AT,
        body: { equals: { colour } },
      });
      await a.connect().request(ask('blue'));
      proxy.cut();
      // Answered after the lease, before the silent node is declared dead.
      const witness = a.connect();
      const { result } = await witness.request(ask('red'));
      const lines = () => witness.heard((result as { channel: string }).channel);
      await write('unseen');
      await eventually(
        async () => {
          await write('seen');
          return lines();
        },
        (all) => all.some((line) => line.endsWith(' seen')),
      );
      expect(lines()[0]).toBe('gap');
    } finally {
      await cluster.close();
    }
  });
});

describe.skipIf(!hasRedis())('writes of a node that is out of touch and goes on', () => {
  it('are a gap also after the others have declared it dead, each time that they look (LOG-12)', async () => {
    const history = { maxAgeMs: 4_000 };
    const cluster = await openNodes(2, { deadAfterMs: DEAD_AFTER_MS }, [], { history });
    try {
      const [a] = cluster.nodes as [Node, Node];
      await a.result({ controller: 'collection', action: 'create', ...AT });
      const { node, proxy } = await cluster.addBehindProxy();
      const witness = await subscribe(a);
      const lines = () => witness.lines().map(({ line }) => line);
      proxy.cut();
      for (const other of cluster.nodes.slice(0, 2))
        await eventually(other.health, ({ services }) => {
          const { cluster: link } = services as { cluster: { nodes: number } };
          return link.nodes === 2;
        });
      for (const gaps of [1, 2]) {
        await node.result({
          controller: 'document',
          action: 'create',
          ...AT,
          _id: `unheard-${gaps}`,
          body: { colour: 'red' },
        });
        await eventually(lines, (all) => all.length === gaps);
        // Longer than a mark counts.
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      }
      expect(lines()).toEqual(['gap node_lost', 'gap node_lost']);
    } finally {
      await cluster.close();
    }
  });
});
