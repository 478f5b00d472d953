import { Readable } from 'node:stream';

interface ClientKey {
  readonly id: string;
}

interface RestoredSubscription {
  readonly topic: string;
  readonly qos: 1;
}

interface Identified {
  readonly messageId?: number;
}

/**
 * The broker's persistence of clients. Nothing is stored here (PROTO-62: no retained messages, no wills): the
 * subscriptions of a session that exists are given to `restore`, and acknowledgements are passed on. For a connection it
 * keeps the ids of its unreleased QoS 2 messages. The library's default keeps an entry for every
 * client id that ever acknowledged a message.
 */
export class ConnectionPersistence {
  private readonly restored = new Map<string, readonly string[]>();

  /** @param onAcknowledged called for each PUBACK */
  constructor(private readonly onAcknowledged: (client: ClientKey, messageId: number) => void = () => undefined) {}

  /** Sets the topics of a session that the broker is about to restore. */
  restore(clientId: string, topics: readonly string[]): void {
    this.restored.set(clientId, topics);
  }

  private readonly unreleased = new WeakMap<ClientKey, Set<number>>();

  // The broker checks whether this is declared `async`.
  async setup(): Promise<void> {}
  async storeRetained(): Promise<void> {}
  async addSubscriptions(): Promise<void> {}
  async removeSubscriptions(): Promise<void> {}
  async cleanSubscriptions(): Promise<void> {}
  async outgoingEnqueue(): Promise<void> {}
  async outgoingEnqueueCombi(): Promise<void> {}
  async outgoingUpdate(): Promise<void> {}
  async putWill(): Promise<void> {}
  async delWill(): Promise<void> {}

  async subscriptionsByClient({ id }: ClientKey): Promise<readonly RestoredSubscription[]> {
    const topics = this.restored.get(id) ?? [];
    this.restored.delete(id);
    return topics.map((topic) => ({ topic, qos: 1 }));
  }

  async outgoingClearMessageId(client: ClientKey, { messageId = 0 }: Identified): Promise<void> {
    this.onAcknowledged(client, messageId);
  }

  async subscriptionsByTopic(): Promise<readonly never[]> {
    return [];
  }

  createRetainedStreamCombi(): Readable {
    return Readable.from([]);
  }

  outgoingStream(): Readable {
    return Readable.from([]);
  }

  streamWill(): Readable {
    return Readable.from([]);
  }

  async incomingStorePacket(client: ClientKey, { messageId = 0 }: Identified): Promise<void> {
    const ids = this.unreleased.get(client);
    if (ids === undefined) this.unreleased.set(client, new Set([messageId]));
    else ids.add(messageId);
  }

  /** Rejects if the message is unknown: the broker then treats it as new. */
  async incomingGetPacket(client: ClientKey, packet: Identified): Promise<Identified> {
    const isKnown = this.unreleased.get(client)?.has(packet.messageId ?? 0) === true;
    if (!isKnown) throw new Error('no such message');
    return packet;
  }

  async incomingDelPacket(client: ClientKey, { messageId = 0 }: Identified): Promise<void> {
    this.unreleased.get(client)?.delete(messageId);
  }

  async cleanIncoming(client: ClientKey): Promise<void> {
    this.unreleased.delete(client);
  }
}
