import type { Cursor } from '@millrace/kernel';
import { DrainWait } from '@millrace/plugin-kit';

/** A replay waits while so many messages are not acknowledged. */
const MAX_OF_REPLAY = 1_000;

interface Sent {
  readonly cursor: Cursor | undefined;
  isAcknowledged: boolean;
}

/** The position that a client has acknowledged on a topic. */
export interface Reached {
  readonly topic: string;
  readonly cursor: Cursor;
}

/** The messages that were sent on the topics of a persistent session, and are not yet acknowledged (PUBACK). */
export class InFlight {
  private readonly byTopic = new Map<string, Sent[]>();
  private readonly byId = new Map<number, { readonly topic: string; readonly sent: Sent }>();

  private readonly drain = new DrainWait();
  private isClosed = false;

  /** Number of messages that wait for their acknowledgement. */
  get count(): number {
    return this.byId.size;
  }

  /** Resolves once the client has acknowledged most messages, or has gone; undefined: few are in flight. */
  drained(): Promise<void> | undefined {
    return this.isClosed || this.count < MAX_OF_REPLAY ? undefined : this.drain.wait();
  }

  /** The client has gone. */
  close(): void {
    this.isClosed = true;
    this.drain.drained();
  }

  has(messageId: number): boolean {
    return this.byId.has(messageId);
  }

  /** @param cursor of the message; absent: it has no position */
  add(topic: string, messageId: number, cursor: Cursor | undefined): void {
    const sent = { cursor, isAcknowledged: false };
    this.push(topic, sent);
    this.byId.set(messageId, { topic, sent });
  }

  /** A position that needs no acknowledgement besides those of earlier messages. */
  pass(topic: string, cursor: Cursor | undefined): Reached | undefined {
    this.push(topic, { cursor, isAcknowledged: true });
    return this.settle(topic);
  }

  /** @returns the position up to which every message of the topic is acknowledged, if it has moved */
  acknowledge(messageId: number): Reached | undefined {
    const found = this.byId.get(messageId);
    if (found === undefined) return undefined;
    this.byId.delete(messageId);
    if (this.count <= MAX_OF_REPLAY / 2) this.drain.drained();
    found.sent.isAcknowledged = true;
    return this.settle(found.topic);
  }

  private push(topic: string, sent: Sent): void {
    const queue = this.byTopic.get(topic);
    if (queue === undefined) this.byTopic.set(topic, [sent]);
    else queue.push(sent);
  }

  private settle(topic: string): Reached | undefined {
    const queue = this.byTopic.get(topic) ?? [];
    let cursor: Cursor | undefined;
    while (queue[0]?.isAcknowledged === true) cursor = queue.shift()?.cursor ?? cursor;
    if (queue.length === 0) this.byTopic.delete(topic);
    return cursor === undefined ? undefined : { topic, cursor };
  }
}
