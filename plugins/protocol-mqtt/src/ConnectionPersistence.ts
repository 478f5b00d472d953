import { Readable } from 'node:stream';

interface ClientKey {
  readonly id: string;
}

interface Identified {
  readonly messageId?: number;
}

/**
 * The broker's persistence of clients: nothing that outlives a connection (PROTO-62: no retained messages, no wills),
 * and for a connection the ids of its unreleased QoS 2 messages. The library's default keeps an entry for every
 * client id that ever acknowledged a message.
 */
export class ConnectionPersistence {
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
  async outgoingClearMessageId(): Promise<void> {}
  async putWill(): Promise<void> {}
  async delWill(): Promise<void> {}

  async subscriptionsByClient(): Promise<readonly never[]> {
    return [];
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
