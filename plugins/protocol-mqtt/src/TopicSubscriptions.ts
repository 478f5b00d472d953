import type { PersistentSession } from './PersistentSession.js';
import type { PublishPacket, QualityOfService } from './PublishPacket.js';

const LAST_MESSAGE_ID = 65_535;

/** The topics that a client has subscribed to, and the packets of the messages that it gets on them. */
export class TopicSubscriptions {
  /** Set if the session outlives the connection. */
  persistent: PersistentSession | undefined;
  private readonly topics = new Map<string, QualityOfService>();
  private lastMessageId = 0;

  has(topic: string): boolean {
    return this.topics.has(topic);
  }

  add(topic: string, qos: number): void {
    this.topics.set(topic, qos === 0 ? 0 : 1);
    this.persistent?.subscribedTopic(topic);
  }

  /** @returns false if the client had not subscribed to it */
  delete(topic: string): boolean {
    return this.topics.delete(topic);
  }

  /** The bytes of a message; undefined if the client doesn't get it. */
  encode(packet: PublishPacket): Buffer | undefined {
    const { persistent } = this;
    const qos = this.topics.get(packet.topic);
    if (qos === undefined || persistent?.isReady(packet.topic) === false) return undefined;
    const messageId = qos === 0 ? undefined : this.nextMessageId();
    persistent?.sent(packet, messageId);
    return messageId === undefined ? packet.withoutAcknowledgement() : packet.withAcknowledgement(messageId);
  }

  private nextMessageId(): number {
    do this.lastMessageId = this.lastMessageId === LAST_MESSAGE_ID ? 1 : this.lastMessageId + 1;
    while (this.persistent?.isUsed(this.lastMessageId) === true);
    return this.lastMessageId;
  }
}
