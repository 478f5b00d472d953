import { setImmediate } from 'node:timers/promises';
import { toCollectionKey } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { CoverSharing, type CoverSharingParts } from './CoverSharing.js';
import { COVERED, LOST, UNCOVERED } from './logMessages.js';

const MAX_IDLE = 3;
/** A gap in all collections. */
const OF_ALL = `${LOST} `;
const at = (collection: string) => ({ index: 'shop', collection });
const keyOf = (collection: string) => toCollectionKey(at(collection));

/** Nodes with one stream and one Redis, in memory. */
function openNodes(count: number) {
  const stored = new Map<string, string>();
  const sent: string[] = [];
  const ids = Array.from({ length: count }, (_, n) => `node${n}`);
  const handlers = new Map<string, (body: string) => Promise<string>>();
  const nodes: CoverSharing[] = [];
  let isAnswered = true;
  /** Messages that a node has not taken yet: it takes them before it answers or receives an answer. */
  const late: (() => void)[] = [];
  let lateNode: CoverSharing | undefined;
  const stream = {
    putCover: async (key: string, value: string) => void stored.set(key, value),
    dropCover: async (key: string) => void stored.delete(key),
    covers: async () => [...stored],
  };
  const linkOf = (nodeId: string) => ({
    nodeId,
    echoes: { isWorking: true, back: async () => true },
    others: () => ids.filter((id) => id !== nodeId),
    send: (topic: string, key: string, body: string) => {
      const number = sent.push(`${topic} ${key}`);
      // All nodes take the messages in one order.
      for (const node of nodes) {
        const take = () => {
          if (topic === COVERED) node.take(key, body, `${number}-0`);
          if (topic === UNCOVERED) node.takeUncovered(key);
        };
        if (node === lateNode) late.push(take);
        else take();
      }
      return number;
    },
    ask: async (id: string, topic: string, body: string) => {
      const handle = handlers.get(`${id} ${topic}`);
      if (handle === undefined || !isAnswered) throw new Error('no answer');
      for (const take of late.splice(0)) take();
      return handle(body);
    },
    answer: (topic: string, handle: (body: string) => Promise<string>) => {
      handlers.set(`${nodeId} ${topic}`, handle);
    },
  });
  for (const id of ids) {
    const parts = {
      link: linkOf(id),
      stream,
      history: { maxAgeMs: 60_000, collections: 'subscribed' },
      internalIndex: '%internal',
      unrecordedEnded: async () => undefined,
      maxIdle: MAX_IDLE,
    };
    nodes.push(new CoverSharing(parts as unknown as CoverSharingParts));
  }
  const poll = async (node: CoverSharing | undefined, collection: string, client: string) => {
    await node?.cover(at(collection));
    node?.release(at(collection), client);
    await setImmediate();
  };
  return {
    nodes,
    stored,
    sent,
    poll,
    recorded: (collection: string) => nodes.map((node) => node.isRecorded(at(collection))),
    silence: (isSilent = true) => (isAnswered = !isSilent),
    delay: (node: CoverSharing | undefined) => (lateNode = node),
  };
}

describe('collections that are recorded without subscriptions on a cluster (LOG-4)', () => {
  it('are bounded on every node and in Redis, and one client displaces its own', async () => {
    const { nodes, stored, poll, recorded } = openNodes(3);
    await poll(nodes[0], 'own', 'victim');
    for (let n = 0; n < 100; n++) await poll(nodes[0], `invented${n}`, 'attacker');
    expect([...stored.keys()]).toEqual(['own', 'invented98', 'invented99'].map(keyOf));
    expect(recorded('own')).toEqual([true, true, true]);
    expect(recorded('invented97')).toEqual([false, false, false]);
    for (const node of nodes) expect(node.recordedIn('shop')).toHaveLength(MAX_IDLE);
  });

  it('begin at a later position once they have ended', async () => {
    const { nodes, poll } = openNodes(2);
    await poll(nodes[0], 'first', 'client');
    const since = () => nodes.map((node) => node.sinceOf(keyOf('first')));
    const [early] = since();
    for (let n = 0; n < MAX_IDLE; n++) await poll(nodes[0], `other${n}`, 'client');
    expect(since()).toEqual([undefined, undefined]);
    await nodes[1]?.cover(at('first'));
    const [later] = since();
    expect(since()).toEqual([later, later]);
    expect(Number.parseInt(later ?? '')).toBeGreaterThan(Number.parseInt(early ?? ''));
  });

  it('keep their position when another node subscribes before it has read that all record it', async () => {
    const { nodes, delay } = openNodes(3);
    delay(nodes[1]);
    await nodes[0]?.cover(at('shared'));
    const since = nodes[0]?.sinceOf(keyOf('shared'));
    expect(nodes[1]?.sinceOf(keyOf('shared'))).toBeUndefined();
    await nodes[1]?.cover(at('shared'));
    expect(nodes.map((node) => node.sinceOf(keyOf('shared')))).toEqual([since, since, since]);
  });

  it('go on where another node has a subscription, or does not answer', async () => {
    const { nodes, sent, poll, recorded, silence } = openNodes(2);
    await nodes[1]?.cover(at('held'));
    await poll(nodes[0], 'held', 'client');
    for (let n = 0; n < 10; n++) await poll(nodes[0], `other${n}`, 'client');
    expect(recorded('held')).toEqual([true, true]);
    const ended = sent.filter((each) => each.startsWith(UNCOVERED)).length;
    silence();
    for (let n = 10; n < 20; n++) await poll(nodes[0], `other${n}`, 'client');
    expect(sent.filter((each) => each.startsWith(UNCOVERED))).toHaveLength(ended);
  });

  it('are recorded again, with a gap, if a subscription began meanwhile', async () => {
    const { nodes, sent, recorded } = openNodes(2);
    await nodes[1]?.cover(at('held'));
    const since = nodes[0]?.sinceOf(keyOf('held'));
    for (const node of nodes) node.takeUncovered(keyOf('held'));
    await setImmediate();
    expect(sent).toContain(`${LOST} ${keyOf('held')}`);
    expect(recorded('held')).toEqual([true, true]);
    const again = nodes.map((node) => node.sinceOf(keyOf('held')));
    expect(again[0]).not.toBe(since);
    expect(again).toEqual([again[0], again[0]]);
  });

  it('have a gap when a node dies that has not answered that it records them', async () => {
    const { nodes, sent, silence } = openNodes(3);
    const gaps = () => sent.filter((each) => each === OF_ALL).length;
    silence();
    await nodes[0]?.cover(at('first'));
    silence(false);
    nodes[0]?.left('node1', 'stopped');
    expect(gaps()).toBe(0);
    nodes[0]?.left('node2', 'died');
    expect(gaps()).toBe(1);
    nodes[0]?.left('node2', 'died');
    expect(gaps()).toBe(1);
  });

  it('have none once the node has answered a later question', async () => {
    const { nodes, sent, silence } = openNodes(2);
    silence();
    await nodes[0]?.cover(at('first'));
    silence(false);
    await nodes[0]?.cover(at('second'));
    nodes[0]?.left('node1', 'died');
    expect(sent).not.toContain(OF_ALL);
  });

  it('do not come back by a list that was read before they ended', async () => {
    const { nodes, stored, poll, recorded } = openNodes(2);
    await poll(nodes[0], 'gone', 'client');
    const exchange = nodes[1]?.exchange();
    stored.delete(keyOf('gone'));
    for (const node of nodes) node.takeUncovered(keyOf('gone'));
    await exchange;
    expect(recorded('gone')).toEqual([false, false]);
  });
});
