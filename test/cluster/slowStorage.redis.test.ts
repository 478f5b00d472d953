import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storageErrors } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

describe.skipIf(!hasRedis())('writes to a storage that is slow', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;

  const write = (action: string, _id: string) => ({
    controller: 'document',
    action,
    ...AT,
    _id,
    body: { colour: 'red' },
  });
  const lines = ({ lines: read }: Awaited<ReturnType<typeof subscribe>>) => read().map(({ line }) => line);

  beforeEach(async () => {
    // Silence is no death here.
    cluster = await openNodes(2, { deadAfterMs: 30_000 });
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterEach(() => cluster.close());

  it('are a gap once they are made after it has failed to answer (LOG-11)', async () => {
    const witness = await subscribe(b);
    let isMade = false;
    cluster.aroundWrite = async (operations, make) => {
      if (!operations.some(({ id }) => id.startsWith('late'))) return make();
      setTimeout(() => void make().then(() => (isMade = true)), 1_000);
      throw storageErrors.unavailable({ reason: 'test' });
    };
    const asked = [1, 2, 3].map((n) => a.ask(write('create', `late-${n}`)));
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ status: 503 });
    await eventually(
      () => lines(witness),
      (all) => all.includes('gap node_lost'),
    );
    expect(isMade).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await a.result(write('create', 'after'));
    await eventually(
      () => lines(witness),
      (all) => all.includes('create in after'),
    );
    const gaps = lines(witness).filter((line) => line === 'gap node_lost');
    expect(lines(witness)).toEqual([...gaps, 'create in after']);
    // One for the first write, one for those that failed while it waited.
    expect(gaps.length).toBeLessThanOrEqual(2);
  });

  it('are a gap if they are made after it has failed to answer, and Redis was away (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(b);
    let isMade = false;
    let refused = 0;
    cluster.aroundWrite = async (operations, make) => {
      if (!operations.some(({ id }) => id === 'late')) return make();
      if (refused++ === 0) setTimeout(() => void make().then(() => (isMade = true)), 2_000);
      throw storageErrors.unavailable({ reason: 'test' });
    };
    proxy.cut();
    await node.ask(write('create', 'other'));
    const asked = node.ask(write('create', 'late'));
    await asked;
    proxy.mend();
    await eventually(
      () => lines(witness),
      (all) => all.includes('gap node_lost'),
    );
    await eventually(() => isMade, Boolean);
    const before = lines(witness).length;
    await eventually(
      () => lines(witness).slice(before),
      (all) => all.includes('gap node_lost'),
    );
  });

  it('are followed by a gap if another node has overtaken them without a record (LOG-12)', async () => {
    const { node, proxy } = await cluster.addBehindProxy();
    const witness = await subscribe(b);
    await a.result(write('create', 'both'));
    let answer: () => void = () => undefined;
    const isHeld = new Promise<void>((held) => {
      cluster.afterWrite = async (operations) => {
        if (!operations.some(({ id }) => id === 'both')) return;
        cluster.afterWrite = undefined;
        held();
        await new Promise<void>((resolve) => (answer = resolve));
      };
    });
    // Version 2: made, and its node learns of it late.
    const slow = a.ask(write('replace', 'both'));
    await isHeld;
    proxy.cut();
    // Version 3.
    await node.result(write('replace', 'both'));
    proxy.mend();
    // A later one is in the stream: no gap is pending any more.
    await eventually(
      async () => {
        await a.result(write('createOrReplace', 'after'));
        return lines(witness);
      },
      (all) => all.at(-1)?.endsWith('in after') === true,
    );
    answer();
    expect(await slow).toMatchObject({ status: 200 });
    await eventually(
      () => lines(witness),
      (all) => all.includes('update in both'),
    );
    const stale = lines(witness).indexOf('update in both');
    await eventually(
      () => lines(witness).slice(stale),
      (all) => all.includes('gap node_lost'),
    );
  });
});
