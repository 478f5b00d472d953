import type { Clock, Logger, MessageHandler } from '@millrace/kernel';
import type { Echoes } from '../log/Echoes.js';
import { UNRECORDED } from '../log/logMessages.js';
import type { StreamChangeLog } from '../log/StreamChangeLog.js';
import type { StreamEntry } from '../redis/RedisStream.js';
import type { LinkMessages } from './LinkMessages.js';
import type { Losses } from './Losses.js';
import type { Peer, Peers } from './Peers.js';
import { decodeEntry, type NodeMessage } from '../redis/wire.js';

const LOG_TOPICS = 'log.';

/** Dependencies of an inbox. */
export interface InboxParts {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly peers: Peers;
  readonly linkMessages: LinkMessages;
  readonly losses: Losses;
  readonly echoes: Echoes;
  readonly log: () => StreamChangeLog | undefined;
}

/** Takes the messages of the stream, each once, and passes them on by topic. */
export class Inbox {
  private readonly handlers = new Map<string, MessageHandler>();
  /** Of the last own message that was read back. */
  private ownNumber = 0;
  receivedCount = 0;
  malformedCount = 0;

  constructor(private readonly parts: InboxParts) {}

  /** Sets the handler of a topic of a service. */
  receive(topic: string, handle: MessageHandler): void {
    this.handlers.set(topic, handle);
  }

  take({ id, fields }: StreamEntry): void {
    const { nodeId, peers, clock, logger, echoes } = this.parts;
    const entry = decodeEntry(fields);
    if (entry === undefined) this.malformedCount++;
    else if (entry.from === nodeId) this.takeOwn(id, entry.messages);
    else {
      const { peer, isNew } = peers.markSeen(entry.from, clock.monotonicMs());
      if (isNew) logger.info({ node: peer.id }, 'another node is there');
      for (const [place, message] of entry.messages.entries()) {
        this.takeNew(peer, message, id, place);
      }
    }
    this.parts.log()?.intake.taken(id);
    echoes.settle();
  }

  private takeOwn(entryId: string, messages: readonly NodeMessage[]): void {
    const { nodeId, echoes, linkMessages } = this.parts;
    const log = this.parts.log();
    const [first] = messages;
    if (first !== undefined && first.number > this.ownNumber + 1) this.lostOwn();
    this.ownNumber = Math.max(this.ownNumber, messages.at(-1)?.number ?? 0);
    for (const [place, message] of messages.entries()) {
      const { topic, number } = message;
      linkMessages.takeOwn(message);
      if (topic === '~beat' && echoes.isWorking) log?.reached(number);
      if (!echoes.take(number, () => log?.cursorAt(entryId, place) ?? '')) continue;
      this.takeLogged(message, entryId, place, nodeId);
    }
  }

  /** Redis has lost messages of this node that no node may have read. */
  private lostOwn(): void {
    this.parts.log()?.lostOwn();
    this.parts.losses.report('messages of this node were lost');
  }

  private takeLogged(message: NodeMessage, entryId: string, place: number, from: string): void {
    if (!isLogged(message.topic)) return;
    try {
      this.parts.log()?.intake.take(message, { entryId, place, from });
    } catch {
      this.malformedCount++;
    }
  }

  private takeNew(peer: Peer, message: NodeMessage, entryId: string, place: number): void {
    const { losses, logger } = this.parts;
    const { lastNumber } = peer;
    if (lastNumber !== undefined && message.number <= lastNumber) return;
    const isJump = lastNumber !== undefined && message.number > lastNumber + 1;
    peer.lastNumber = message.number;
    if (isJump) {
      this.parts.log()?.missed(peer.id);
      losses.report('messages of another node were lost');
    }
    this.receivedCount++;
    this.takeLogged(message, entryId, place, peer.id);
    try {
      this.dispatch(peer, message);
    } catch (error) {
      this.malformedCount++;
      const fields = { err: error, topic: message.topic, node: peer.id };
      logger.warn(fields, 'a message of another node could not be taken');
    }
  }

  private dispatch(peer: Peer, message: NodeMessage): void {
    const { topic, key, body } = message;
    if (topic.startsWith(LOG_TOPICS) || this.parts.log()?.intake.replaces(message) === true) return;
    if (topic.startsWith('~')) {
      if (!this.parts.linkMessages.take(peer, message)) this.malformedCount++;
      return;
    }
    const handle = this.handlers.get(topic);
    if (handle === undefined) this.malformedCount++;
    else handle(key, body, peer.id);
  }
}

/** Whether the change log takes messages of a topic. */
function isLogged(topic: string): boolean {
  return topic.startsWith(LOG_TOPICS) || topic === UNRECORDED;
}
