/*
 * The link of a node to the others (docs/decisions/0011). All messages go through one stream in Redis; the link's
 * internal messages have topics that begin with `~`:
 *
 *   ~hello   a node joined, or was declared dead and rejoins: the others send their state
 *   ~wanted  a node has lost messages: the others send their state
 *   ~beat    a heartbeat; read back by its sender, it renews the lease
 *   ~sync    a barrier, answered by ~synced once received
 *   ~bye     the sender stops
 *   ~dead    the sender declares a node dead (key); that node rejoins with ~hello when it reads the message
 *   ~ask, ~answer  questions
 *
 * Topics that begin with `log.` are those of the change log, which takes them in the order of the stream, its own too.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  clusterErrors,
  type JsonObject,
  type LeaseRequest,
  type Lifecycle,
  type MessageHandler,
  type NodeLink,
  type NodeObserver,
  type QuestionHandler,
  type RateLease,
  type StorageEngine,
  type SyncOutcome,
} from '@millrace/kernel';
import { Barriers } from './link/Barriers.js';
import { Departures } from './link/Departures.js';
import { Heartbeat } from './link/Heartbeat.js';
import { Inbox } from './link/Inbox.js';
import { LinkMessages } from './link/LinkMessages.js';
import { Losses } from './link/Losses.js';
import { NodeObservers } from './link/NodeObservers.js';
import { Peers } from './link/Peers.js';
import { Questions } from './link/Questions.js';
import { SendQueue } from './link/SendQueue.js';
import { StreamReader } from './link/StreamReader.js';
import { Echoes } from './log/Echoes.js';
import { newEpoch } from './log/positions.js';
import { StreamChangeLog } from './log/StreamChangeLog.js';
import { RateLeases } from './redis/RateLeases.js';
import { RedisLogStore } from './redis/RedisLogStore.js';
import { openRedis } from './redis/openRedis.js';
import { RedisPresence } from './redis/RedisPresence.js';
import { RedisStream } from './redis/RedisStream.js';
import type { RedisNodeLinkParts } from './RedisNodeLinkParts.js';

const NODE_ID_BYTES = 10;
const FLUSH_WITHIN_MS = 1_000;
const UNREGISTER_WITHIN_MS = 200;

/** Connects several nodes through one Redis stream. See `NodeLink` for the guarantees of each method. */
export class RedisNodeLink implements NodeLink, Lifecycle {
  readonly nodeId = randomBytes(NODE_ID_BYTES).toString('hex');
  readonly isClustered = true;
  private readonly stream: RedisStream;
  private readonly leases: RateLeases;
  private readonly logStore: RedisLogStore;
  private readonly echoes: Echoes;
  private log: StreamChangeLog | undefined;
  private readonly reader: StreamReader;
  private readonly queue: SendQueue;
  private readonly peers = new Peers();
  private readonly barriers = new Barriers(this.peers);
  private readonly questions: Questions;
  private readonly observers: NodeObservers;
  private readonly losses: Losses;
  private readonly heartbeat: Heartbeat;
  private readonly inbox: Inbox;
  private announcedNumber = 0;
  private settledNumber = 0;

  constructor(private readonly parts: RedisNodeLinkParts) {
    const { config, serviceName, clock, logger } = parts;
    const { nodeId, peers, barriers } = this;
    const prefix = config.redis.prefix === '' ? serviceName : config.redis.prefix;
    const presence = new RedisPresence(logger);
    this.stream = new RedisStream(config, prefix, logger, presence);
    const send = async (command: readonly string[]) => this.stream.write(command);
    this.leases = new RateLeases(send, `{${prefix}}:cluster:limit:`, clock);
    this.logStore = new RedisLogStore(config.redis, prefix, logger, presence);
    this.echoes = new Echoes(config.leaseMs + config.confirmTimeoutMs, () => this.queue.isUp);
    this.queue = new SendQueue(
      nodeId,
      (...entry) => this.stream.append(...entry),
      config,
      (droppedCount) => {
        const message = 'messages to other nodes were dropped: too many waited for Redis';
        logger.warn({ droppedCount }, message);
        this.log?.dropped();
      },
      () => this.echoes.release(),
    );
    this.questions = new Questions(nodeId, (topic, key, body) => this.send(topic, key, body));
    this.observers = new NodeObservers(logger);
    const { queue, questions, observers, echoes } = this;
    this.losses = new Losses(clock, logger, queue, observers);
    const log = () => this.log;
    const common = { nodeId, clock, logger, queue, peers, barriers, questions, observers, losses: this.losses, log };
    const departures = new Departures(common);
    this.heartbeat = new Heartbeat({
      config,
      clock,
      logger,
      queue,
      peers,
      register: () => this.stream.register(nodeId),
      describe: () => this.describe(),
      onDead: (id) => departures.declare(id),
    });
    const linkMessages = new LinkMessages({ ...common, heartbeat: this.heartbeat, departures });
    this.inbox = new Inbox({ ...common, linkMessages, echoes });
    this.reader = new StreamReader(
      this.stream,
      (entry) => this.inbox.take(entry),
      (lastId, hasLost) => this.reconnected(lastId, hasLost),
    );
  }

  /** Resolves once this node has received the state of the others. @throws cluster.unavailable (503) */
  async start(): Promise<void> {
    const { stream, log, nodeId, peers, logStore } = this;
    const { config, clock, logger, startTimeoutMs: withinMs } = this.parts;
    const { url } = config.redis;
    await openRedis({ url, stream, logStore: log && logStore, withinMs, clock, logger });
    const lastId = await stream.lastId();
    await log?.start(lastId);
    await this.reader.start(lastId);
    for (const id of await stream.register(nodeId)) {
      if (id !== nodeId) peers.addUnconfirmed(id, clock.monotonicMs());
    }
    this.queue.push('~hello', '', '');
    this.heartbeat.start();
    await this.synced();
    await log?.whenJoined();
    logger.info({ nodeId, nodes: peers.aliveCount + 1 }, 'joined the cluster');
  }

  async stop(): Promise<void> {
    const { heartbeat, queue, stream } = this;
    const wasRunning = heartbeat.isRunning;
    heartbeat.stop();
    if (wasRunning) {
      queue.push('~bye', '', '');
      await queue.stop(FLUSH_WITHIN_MS);
      const unregistered = stream.unregister(this.nodeId).catch(() => undefined);
      await Promise.race([unregistered, sleep(UNREGISTER_WITHIN_MS)]);
    }
    this.losses.stop();
    this.reader.stop();
    this.log?.stop();
    this.echoes.release();
    stream.close();
    this.logStore.close();
    await this.reader.whenEnded();
    this.barriers.close();
    this.questions.close();
  }

  hasOthers(): boolean {
    for (const _ of this.peers.alive()) return true;
    return false;
  }

  others(): readonly string[] {
    return [...this.peers.alive()].map(({ id }) => id);
  }

  isCurrent(): boolean {
    return this.heartbeat.isCurrent;
  }

  send(topic: string, key: string, body: string): void {
    this.queue.push(topic, key, body);
  }

  announce(topic: string, key: string, body: string): void {
    this.announcedNumber = this.queue.push(topic, key, body);
  }

  confirmed(): Promise<void> | undefined {
    return this.queue.confirmed();
  }

  settled(): Promise<SyncOutcome> | undefined {
    return this.announcedNumber <= this.settledNumber ? undefined : this.synced();
  }

  synced(): Promise<SyncOutcome> | undefined {
    if (!this.hasOthers()) return undefined;
    // If the newest message is a barrier, the caller shares it.
    const shared = this.barriers.at(this.queue.newest);
    if (shared !== undefined) return shared;
    const number = this.queue.push('~sync', '', '');
    const { leaseMs, confirmTimeoutMs } = this.parts.config;
    // Disconnected for that long already, this node waits for no other: see `isCurrent`.
    const isLost = !this.queue.isUp && !this.isCurrent();
    const outcome = this.barriers.add(number, isLost ? 0 : leaseMs + confirmTimeoutMs);
    // A node that hasn't answered by then distrusts its caches: its lease has expired.
    void outcome.then(() => (this.settledNumber = Math.max(this.settledNumber, number)));
    return outcome;
  }

  receive(topic: string, handle: MessageHandler): void {
    this.inbox.receive(topic, handle);
  }

  answer(topic: string, handle: QuestionHandler): void {
    this.questions.answer(topic, handle);
  }

  async ask(nodeId: string, topic: string, body: string): Promise<string> {
    if (this.peers.find(nodeId)?.isAlive !== true) throw clusterErrors.unreachable({ nodeId });
    return this.questions.ask(nodeId, topic, body);
  }

  observe(observer: NodeObserver): void {
    this.observers.add(observer);
  }

  record(engine: StorageEngine): StorageEngine {
    const { history, internalIndex, logger, config } = this.parts;
    const link = {
      nodeId: this.nodeId,
      echoes: this.echoes,
      send: (topic: string, key: string, body: string) => this.queue.push(topic, key, body),
      others: () => this.others(),
      ask: (nodeId: string, topic: string, body: string) => this.ask(nodeId, topic, body),
      answer: (topic: string, handle: QuestionHandler) => this.answer(topic, handle),
      synced: () => this.synced(),
    };
    const { deadAfterMs } = config;
    const parts = { link, stream: this.logStore, history, internalIndex, engine, deadAfterMs, logger };
    this.log = new StreamChangeLog(parts);
    return this.log.engine;
  } // prettier-ignore

  lease(request: LeaseRequest): Promise<RateLease | undefined> {
    return this.leases.take(request);
  }

  private async reconnected(lastId: string, hasLost: boolean): Promise<void> {
    if (this.log === undefined) return;
    const epoch = await this.logStore.replaceEpoch(hasLost ? this.log.epoch : '', newEpoch(Date.now()));
    this.log.reconnected(lastId, epoch);
  }

  describe(): JsonObject & { readonly state: 'up' | 'down' } {
    return {
      state: this.isCurrent() ? 'up' : 'down',
      nodeId: this.nodeId,
      nodes: this.peers.aliveCount + 1,
      sent: this.queue.newest,
      received: this.inbox.receivedCount,
      waitingBytes: this.queue.queuedBytes,
      dropped: this.queue.droppedCount,
      missed: this.losses.count,
      malformed: this.inbox.malformedCount,
    };
  }
}
