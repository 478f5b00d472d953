import { setImmediate } from 'node:timers/promises';
import { silentLogger, type Clock } from '@millrace/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Echoes } from '../log/Echoes.js';
import { Barriers } from './Barriers.js';
import { Departures } from './Departures.js';
import { Heartbeat } from './Heartbeat.js';
import { Inbox } from './Inbox.js';
import { LinkMessages } from './LinkMessages.js';
import { Losses } from './Losses.js';
import { NodeObservers } from './NodeObservers.js';
import { Peers } from './Peers.js';
import { Questions } from './Questions.js';
import { SendQueue } from './SendQueue.js';
import { encodeEntry } from '../redis/wire.js';

const CONFIG = {
  heartbeatMs: 60_000,
  leaseMs: 3_000,
  deadAfterMs: 10_000,
  confirmTimeoutMs: 60_000,
  maxQueuedBytes: 1e6,
  maxStreamBytes: 1e6,
  maxStreamEntries: 1_000,
};
const A = 'aaaaaaaa';
const B = 'bbbbbbbb';
const C = 'cccccccc';

/** Nodes with one stream, in memory. */
class Nodes {
  nowMs = 0;
  /** Doesn't read the stream. */
  frozen: string | undefined;
  readonly byId = new Map<string, ReturnType<typeof openNode>>();
  private entryCount = 0;

  constructor(...ids: readonly string[]) {
    const clock = { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs };
    const append = (fields: readonly string[]) => this.append(fields);
    for (const id of ids) this.byId.set(id, openNode(id, clock, append));
    onTestFinished(() => {
      for (const { losses } of this.byId.values()) losses.stop();
    });
  }

  node(id: string) {
    return this.byId.get(id) as ReturnType<typeof openNode>;
  }

  /** All nodes announce themselves. */
  async join(): Promise<this> {
    for (const { queue } of this.byId.values()) queue.push('~hello', '', '');
    await setImmediate();
    for (const { events } of this.byId.values()) events.length = 0;
    return this;
  }

  append(fields: readonly string[]): void {
    const id = `${++this.entryCount}-0`;
    for (const [nodeId, { inbox }] of this.byId) if (nodeId !== this.frozen) inbox.take({ id, fields });
  }

  /** One heartbeat of each of some nodes. */
  async beat(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.node(id).heartbeat.start();
      this.node(id).heartbeat.stop();
      await setImmediate();
    }
  }
}

function openNode(nodeId: string, clock: Clock, append: (fields: readonly string[]) => void) {
  const logger = silentLogger;
  const events: string[] = [];
  const peers = new Peers();
  const barriers = new Barriers(peers);
  const observers = new NodeObservers(logger);
  observers.add({
    wanted: () => void events.push('wanted'),
    missed: (reason) => void events.push(`missed: ${reason}`),
    left: (id, how) => void events.push(`${id} ${how}`),
  });
  const queue = new SendQueue(
    nodeId,
    async (fields) => append(fields),
    CONFIG,
    () => undefined,
  );
  const questions = new Questions(nodeId, (...message) => void queue.push(...message));
  const losses = new Losses(clock, logger, queue, observers);
  const echoes = new Echoes(60_000, () => true);
  const common = { nodeId, clock, logger, queue, peers, barriers, questions, observers, losses, log: () => undefined };
  const departures = new Departures(common);
  const heartbeat = new Heartbeat({
    ...common,
    config: CONFIG,
    register: async () => undefined,
    describe: () => ({}),
    onDead: (id) => departures.declare(id),
  });
  const linkMessages = new LinkMessages({ ...common, heartbeat, departures });
  const inbox = new Inbox({ ...common, linkMessages, echoes });
  inbox.receive('test.topic', (key, body, from) => void events.push(`${key}=${body} of ${from}`));
  return { nodeId, events, peers, barriers, queue, questions, losses, heartbeat, inbox };
}

describe('messages between nodes', () => {
  it('are passed on by topic, in their order, to all other nodes', async () => {
    const nodes = await new Nodes(A, B, C).join();
    for (const key of ['k1', 'k2']) nodes.node(A).queue.push('test.topic', key, 'v');
    await setImmediate();
    for (const id of [B, C]) expect(nodes.node(id).events).toEqual([`k1=v of ${A}`, `k2=v of ${A}`]);
    expect(nodes.node(A).events).toEqual([]);
  });

  it('are taken once when an entry is sent again', async () => {
    const nodes = await new Nodes(A, B).join();
    const entry = encodeEntry(A, [{ number: 2, topic: 'test.topic', key: 'k', body: 'v' }]);
    for (const _ of [1, 2]) nodes.append(entry);
    expect(nodes.node(B).events).toEqual([`k=v of ${A}`]);
  });

  it('are reported as lost if numbers are missing, and the state of the others is requested', async () => {
    const nodes = await new Nodes(A, B).join();
    nodes.append(encodeEntry(A, [{ number: 9, topic: 'test.topic', key: 'k', body: 'v' }]));
    await setImmediate();
    expect(nodes.node(B).events).toEqual(['missed: messages of another node were lost', `k=v of ${A}`]);
    expect(nodes.node(A).events).toContain('wanted');
    expect(nodes.node(A).events).toContain('missed: messages of this node were lost');
  });

  it('are counted if they are malformed or their handler fails, and the next ones are taken', async () => {
    const nodes = await new Nodes(A, B).join();
    const { inbox, events } = nodes.node(B);
    inbox.receive('test.fails', () => {
      throw new Error('test');
    });
    nodes.append(['x', A]);
    for (const topic of ['test.fails', 'test.unknown', '~unknown', 'test.topic'])
      nodes.node(A).queue.push(topic, 'k', 'v');
    await setImmediate();
    expect(inbox.malformedCount).toBe(4);
    expect(events).toEqual([`k=v of ${A}`]);
  });

  it('are acknowledged when the sender asks for it', async () => {
    const nodes = await new Nodes(A, B, C).join();
    const { queue, barriers } = nodes.node(A);
    const outcome = barriers.add(queue.push('~sync', '', ''), 60_000);
    expect(await outcome).toMatchObject({ isComplete: true });
  });

  it('carry questions and their answers', async () => {
    const nodes = await new Nodes(A, B).join();
    nodes.node(B).questions.answer('size', async (body) => `${body}!`);
    expect(await nodes.node(A).questions.ask(B, 'size', 'hello')).toBe('hello!');
  });
});

describe('a node that stops', () => {
  it('has left for the others, which wait for nothing of it', async () => {
    const nodes = await new Nodes(A, B, C).join();
    const { barriers, questions, events } = nodes.node(A);
    nodes.frozen = B;
    const question = questions.ask(B, 'size', '').catch((error: Error) => error.message);
    const outcome = barriers.add(nodes.node(A).queue.push('~sync', '', ''), 60_000);
    await setImmediate();
    nodes.node(B).queue.push('~bye', '', '');
    expect(await question).toContain(B);
    expect(await outcome).toMatchObject({ isComplete: true });
    expect(events).toEqual([`${B} stopped`]);
    expect(nodes.node(A).peers.aliveCount).toBe(1);
  });
});

describe('a silent node', () => {
  it('is declared dead by a node that reads the stream, for all', async () => {
    const nodes = await new Nodes(A, B, C).join();
    await nodes.beat(A, B, C);
    nodes.nowMs = 5_000;
    await nodes.beat(A, C);
    nodes.frozen = B;
    nodes.nowMs = CONFIG.deadAfterMs + 1;
    // The first heartbeat comes back: the node is in touch again, and forgives the silence until then.
    await nodes.beat(A, A);
    expect(nodes.node(A).events).toEqual([]);
    for (let beats = 0; beats < 5; beats++) {
      nodes.nowMs += CONFIG.leaseMs - 1;
      await nodes.beat(C, A);
    }
    for (const id of [A, C]) expect(nodes.node(id).events).toEqual([`${B} died`]);
  });

  it('rejoins if it was only frozen, once, and requests the state of the others', async () => {
    const nodes = await new Nodes(A, B, C).join();
    for (const id of [A, C]) nodes.node(id).queue.push('~dead', B, '');
    await setImmediate();
    expect(nodes.node(B).events).toEqual([
      'wanted',
      'missed: this node was silent for too long: others declared it dead',
    ]);
    for (const id of [A, C]) {
      expect(nodes.node(id).events[0]).toBe(`${B} died`);
      expect(nodes.node(id).peers.find(B)?.isAlive).toBe(true);
    }
    nodes.node(A).queue.push('~dead', B, '');
    await setImmediate();
    expect(nodes.node(B).losses.count).toBe(2);
  });

  it('is not declared dead by a node that is out of touch itself', async () => {
    const nodes = await new Nodes(A, B).join();
    await nodes.beat(A, B);
    nodes.frozen = A;
    nodes.nowMs = CONFIG.deadAfterMs + 1;
    await nodes.beat(A, A);
    expect(nodes.node(A).heartbeat.isCurrent).toBe(false);
    expect(nodes.node(A).peers.find(B)?.isAlive).toBe(true);
  });
});
