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
  coreErrors,
  isThenable,
  MillraceError,
  type Clock,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type MessageHandler,
  type NodeLink,
  type NodeObserver,
  type QuestionHandler,
  type StorageEngine,
  type SyncOutcome,
} from '@millrace/kernel';
import type { ClusterConfig } from './ClusterConfig.js';
import { Barriers } from './link/Barriers.js';
import { Peers, type Peer } from './link/Peers.js';
import { ANSWER, ASK, Questions } from './link/Questions.js';
import { SendQueue } from './link/SendQueue.js';
import { StreamReader } from './link/StreamReader.js';
import { decodeEntry, type NodeMessage } from './link/wire.js';
import { Echoes } from './log/Echoes.js';
import { UNRECORDED } from './log/logMessages.js';
import type { LogHistory } from './log/LogLink.js';
import { RedisChangeLog } from './log/RedisChangeLog.js';
import { LogStore } from './redis/LogStore.js';
import { RedisStream, type StreamEntry } from './redis/RedisStream.js';

const NODE_ID_BYTES = 10;
const START_PAUSE_MS = 500;
const FLUSH_WITHIN_MS = 1_000;
/** Minimum interval between two requests for state after lost messages. */
const WANTED_EVERY_MS = 200;
const BEATS_PER_REGISTRATION = 4;
const LOG_TOPICS = 'log.';

/** Dependencies of a link. */
export interface RedisNodeLinkParts {
  readonly config: ClusterConfig;
  /** Prefix of every key in Redis unless the configuration sets another: the name of the server. */
  readonly serviceName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the start waits for Redis, in milliseconds. */
  readonly startTimeoutMs: number;
  /** What the change log records. */
  readonly history: LogHistory;
  readonly internalIndex: string;
}

/** Connects several nodes through one Redis stream. See `NodeLink` for the guarantees of each method. */
export class RedisNodeLink implements NodeLink, Lifecycle {
  readonly nodeId = randomBytes(NODE_ID_BYTES).toString('hex');
  readonly isClustered = true;
  private readonly stream: RedisStream;
  private readonly logStore: LogStore;
  private readonly echoes: Echoes;
  private log: RedisChangeLog | undefined;
  private readonly reader: StreamReader;
  private readonly queue: SendQueue;
  private readonly peers = new Peers();
  private readonly barriers = new Barriers(this.peers);
  private readonly questions: Questions;
  private readonly handlers = new Map<string, MessageHandler>();
  private readonly observers: NodeObserver[] = [];
  private timer: NodeJS.Timeout | undefined;
  private gapTimer: NodeJS.Timeout | undefined;
  private beatNumber = 0;
  private beatCount = 0;
  private echoAtMs = -Infinity;
  private wasCurrent = false;
  private isRejoining = false;
  private announcedNumber = 0;
  private settledNumber = 0;
  private wantedAtMs = -Infinity;
  private isRegistering = false;
  private receivedCount = 0;
  private malformedCount = 0;
  private missedCount = 0;

  constructor(private readonly parts: RedisNodeLinkParts) {
    const { config, serviceName, logger } = parts;
    const prefix = config.redis.prefix === '' ? serviceName : config.redis.prefix;
    this.stream = new RedisStream(config, prefix, logger);
    this.logStore = new LogStore(config.redis, prefix, logger);
    this.echoes = new Echoes(config.leaseMs + config.confirmTimeoutMs, () => this.queue.isUp);
    this.reader = new StreamReader(
      this.stream,
      (entry) => this.take(entry),
      async (lastId, hasLost) => this.log?.reconnected(lastId, hasLost),
    );
    this.queue = new SendQueue({
      nodeId: this.nodeId,
      append: (...entry) => this.stream.append(...entry),
      limits: config,
      onOverflow: (droppedCount) => {
        const message = 'messages to other nodes were dropped: too many waited for Redis';
        logger.warn({ droppedCount }, message);
        this.log?.dropped();
      },
      onAway: () => this.echoes.release(),
    });
    this.questions = new Questions(this.nodeId, (topic, key, body) => this.send(topic, key, body));
  }

  /** Resolves once this node has received the state of the others. @throws cluster.unavailable (503) */
  async start(): Promise<void> {
    await this.openStream();
    const lastId = await this.stream.lastId();
    await this.log?.start(lastId);
    await this.reader.start(lastId);
    for (const id of await this.stream.register(this.nodeId)) {
      if (id !== this.nodeId) this.peers.addUnconfirmed(id, this.nowMs());
    }
    this.queue.push('~hello', '', '');
    this.beat();
    this.timer = setInterval(() => this.beat(), this.parts.config.heartbeatMs).unref();
    await this.synced();
    await this.log?.whenJoined();
    this.parts.logger.info(
      { nodeId: this.nodeId, nodes: this.peers.aliveCount + 1 },
      'joined the cluster',
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.timer !== undefined) {
      this.queue.push('~bye', '', '');
      await this.queue.stop(FLUSH_WITHIN_MS);
      await Promise.race([this.stream.unregister(this.nodeId).catch(() => undefined), sleep(200)]);
    }
    this.timer = undefined;
    this.reader.stop();
    this.log?.stop();
    this.echoes.release();
    this.stream.close();
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
    return this.nowMs() - this.echoAtMs < this.parts.config.leaseMs;
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
    this.handlers.set(topic, handle);
  }

  answer(topic: string, handle: QuestionHandler): void {
    this.questions.answer(topic, handle);
  }

  async ask(nodeId: string, topic: string, body: string): Promise<string> {
    if (this.peers.find(nodeId)?.isAlive !== true) throw clusterErrors.unreachable({ nodeId });
    return this.questions.ask(nodeId, topic, body);
  }

  observe(observer: NodeObserver): void {
    this.observers.push(observer);
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
    this.log = new RedisChangeLog(parts);
    return this.log.engine;
  } // prettier-ignore

  describe(): JsonObject & { readonly state: 'up' | 'down' } {
    return {
      state: this.isCurrent() ? 'up' : 'down',
      nodeId: this.nodeId,
      nodes: this.peers.aliveCount + 1,
      sent: this.queue.newest,
      received: this.receivedCount,
      waitingBytes: this.queue.queuedBytes,
      dropped: this.queue.droppedCount,
      missed: this.missedCount,
      malformed: this.malformedCount,
    };
  }

  private nowMs(): number {
    return this.parts.clock.monotonicMs();
  }

  private async openStream(): Promise<void> {
    const { config, startTimeoutMs, logger } = this.parts;
    if (config.redis.url === '') {
      const reason = 'configuration cluster.redis.url is empty: expected the address of Redis';
      throw clusterErrors.unavailable({ reason });
    }
    const giveUpAtMs = this.nowMs() + startTimeoutMs - START_PAUSE_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        await this.stream.open();
        await this.stream.assertKeeps();
        if (this.log !== undefined) await this.logStore.open();
        return;
      } catch (error) {
        this.stream.close();
        this.logStore.close();
        const isRefused =
          error instanceof MillraceError && error.id === coreErrors.invalid_config.id;
        if (isRefused || this.nowMs() + START_PAUSE_MS > giveUpAtMs) throw error;
        if (isFirst) logger.warn({}, 'waiting for the Redis of the cluster');
        await sleep(START_PAUSE_MS);
      }
    }
  }

  private take({ id, fields }: StreamEntry): void {
    const entry = decodeEntry(fields);
    if (entry === undefined) this.malformed();
    else if (entry.from === this.nodeId) this.takeOwn(id, entry.messages);
    else {
      const { peer, isNew } = this.peers.markSeen(entry.from, this.nowMs());
      if (isNew) this.parts.logger.info({ node: peer.id }, 'another node is there');
      for (const [place, message] of entry.messages.entries()) this.takeNew(peer, message, id, place);
    }
    this.log?.taken(id);
    this.echoes.settle();
  } // prettier-ignore

  private takeOwn(entryId: string, messages: readonly NodeMessage[]): void {
    for (const [place, message] of messages.entries()) {
      const { topic, key, number } = message;
      if (topic === '~beat') {
        this.echoAtMs = Math.max(this.echoAtMs, Number(key));
        if (this.echoes.isWorking) this.log?.reached(number);
      } else if (topic === '~hello') this.isRejoining = false;
      if (!this.echoes.take(number, () => this.log?.cursorAt(entryId, place) ?? '')) continue;
      this.takeLogged(message, entryId, place, this.nodeId);
    }
  }

  private takeLogged(message: NodeMessage, entryId: string, place: number, from: string): void {
    if (!isLogged(message.topic)) return;
    try {
      this.log?.take(message, { entryId, place, from });
    } catch {
      this.malformed();
    }
  }

  private takeNew(peer: Peer, message: NodeMessage, entryId: string, place: number): void {
    const { lastNumber } = peer;
    if (lastNumber !== undefined && message.number <= lastNumber) return;
    const isJump = lastNumber !== undefined && message.number > lastNumber + 1;
    peer.lastNumber = message.number;
    if (isJump) {
      this.log?.missed(peer.id);
      this.reportGap('messages of another node were lost');
    }
    this.receivedCount++;
    this.takeLogged(message, entryId, place, peer.id);
    try {
      this.dispatch(peer, message);
    } catch (error) {
      this.malformed();
      const fields = { err: error, topic: message.topic, node: peer.id };
      this.parts.logger.warn(fields, 'a message of another node could not be taken');
    }
  }

  private dispatch(peer: Peer, { topic, key, body, number }: NodeMessage): void {
    if (topic.startsWith(LOG_TOPICS)) return;
    if (!topic.startsWith('~')) {
      const handle = this.handlers.get(topic);
      if (handle === undefined) this.malformed();
      else handle(key, body, peer.id);
      return;
    }
    switch (topic) {
      case '~beat':
        return;
      case '~hello':
      case '~wanted':
        this.log?.tellCovers();
        return this.each((observer) => observer.wanted?.());
      case '~sync':
        return void this.queue.push('~synced', `${peer.id} ${number}`, '');
      case '~synced':
        return this.acknowledge(peer, key);
      case '~bye':
        return this.removePeer(peer.id, 'stopped');
      case '~dead':
        return this.onDeclaredDead(key);
      case ASK:
        return this.questions.takeQuestion(key, body, peer.id) ? undefined : this.malformed();
      case ANSWER:
        return this.questions.takeAnswer(key, body, peer.id) ? undefined : this.malformed();
      default:
        this.malformed();
    }
  }

  private acknowledge(peer: Peer, key: string): void {
    const [to, number] = key.split(' ');
    if (to !== this.nodeId) return;
    peer.ackedNumber = Math.max(peer.ackedNumber, Number(number));
    this.barriers.acknowledged(peer.id, peer.ackedNumber);
  }

  private onDeclaredDead(id: string): void {
    if (id !== this.nodeId) return this.removePeer(id, 'died');
    if (this.isRejoining) return;
    this.isRejoining = true;
    this.queue.push('~hello', '', '');
    this.each((observer) => observer.wanted?.());
    this.reportGap('this node was silent for too long: others declared it dead');
  }

  private removePeer(id: string, how: 'stopped' | 'died'): void {
    const isUnconfirmed = this.peers.find(id)?.isUnconfirmed === true;
    if (!this.peers.drop(id)) return;
    this.barriers.forget(id);
    this.questions.forget(id);
    this.log?.left(id, how);
    // A node that never sent a message had no state.
    if (isUnconfirmed) return;
    this.parts.logger.warn({ node: id, how }, 'another node is gone');
    this.each((observer) => observer.left?.(id, how));
  }

  private reportGap(reason: string): void {
    this.missedCount++;
    const nowMs = this.nowMs();
    // A burst of losses counts as one.
    if (nowMs - this.wantedAtMs < WANTED_EVERY_MS) return this.reportGapLater(reason);
    this.wantedAtMs = nowMs;
    this.queue.push('~wanted', '', '');
    this.parts.logger.warn({ reason }, 'messages between nodes were missed');
    this.each((observer) => observer.missed?.(reason));
  }

  private reportGapLater(reason: string): void {
    this.gapTimer ??= setTimeout(() => {
      this.gapTimer = undefined;
      if (this.timer !== undefined) this.reportGap(reason);
    }, WANTED_EVERY_MS).unref();
  }

  private beat(): void {
    const nowMs = this.nowMs();
    if (this.queue.confirmedUpTo >= this.beatNumber) {
      this.beatNumber = this.queue.push('~beat', String(nowMs), '');
    }
    if (this.beatCount++ % BEATS_PER_REGISTRATION === 0) this.register();
    this.declareDeadNodes(nowMs);
  }

  /** Declares silent nodes dead. A node that didn't read the stream in the meantime declares none. */
  private declareDeadNodes(nowMs: number): void {
    const isCurrent = this.isCurrent();
    if (isCurrent !== this.wasCurrent) {
      this.wasCurrent = isCurrent;
      this.parts.logger[isCurrent ? 'info' : 'warn'](
        this.describe(),
        isCurrent
          ? 'in touch with the other nodes'
          : 'out of touch with the other nodes: what they change is read from the store, notifications of theirs wait',
      );
      if (isCurrent) this.peers.forgiveSilence(nowMs);
    }
    if (!isCurrent) return;
    for (const { id, lastSeenMs } of [...this.peers.alive()]) {
      if (nowMs - lastSeenMs <= this.parts.config.deadAfterMs) continue;
      this.queue.push('~dead', id, '');
      this.removePeer(id, 'died');
    }
  }

  private register(): void {
    if (this.isRegistering) return;
    this.isRegistering = true;
    this.stream
      .register(this.nodeId)
      .catch(() => undefined)
      .finally(() => (this.isRegistering = false));
  }

  private malformed(): void {
    this.malformedCount++;
  }

  private each(tell: (observer: NodeObserver) => void): void {
    for (const observer of this.observers) {
      try {
        const outcome: unknown = tell(observer);
        if (isThenable(outcome)) outcome.then(undefined, (error) => this.failed(error));
      } catch (error) {
        this.failed(error);
      }
    }
  }

  private failed(error: unknown): void {
    this.parts.logger.error({ err: error }, 'an observer of nodes failed');
  }
}

/** Whether the change log takes messages of a topic. */
function isLogged(topic: string): boolean {
  return topic.startsWith(LOG_TOPICS) || topic === UNRECORDED;
}
