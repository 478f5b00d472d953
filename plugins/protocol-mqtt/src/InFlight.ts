import type { Cursor } from '@millrace/kernel';
import { DrainWait } from '@millrace/plugin-kit';

/** A replay waits while so many messages are not acknowledged. */
const MAX_OF_REPLAY = 1_000;

/** An unacknowledged message, in the list of those of its topic. */
interface Sent {
  readonly topic: string;
  /** Its position, or that of the last message after it that is acknowledged already. */
  cursor: Cursor | undefined;
  before: Sent | undefined;
  after: Sent | undefined;
}

/** The position that a client has acknowledged on a topic. */
export interface Reached {
  readonly topic: string;
  readonly cursor: Cursor;
}

/**
 * The messages that were sent on the topics of a persistent session, and are not yet acknowledged (PUBACK). Nothing is
 * kept of acknowledged ones but their last position, however many follow one that the client leaves out.
 */
export class InFlight {
  private readonly lastByTopic = new Map<string, Sent>();
  private readonly byId = new Map<number, Sent>();

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
    const before = this.lastByTopic.get(topic);
    const sent: Sent = { topic, cursor, before, after: undefined };
    if (before !== undefined) before.after = sent;
    this.lastByTopic.set(topic, sent);
    this.byId.set(messageId, sent);
  }

  /** A position that needs no acknowledgement besides those of earlier messages. */
  pass(topic: string, cursor: Cursor | undefined): Reached | undefined {
    return moveOn(topic, this.lastByTopic.get(topic), cursor);
  }

  /** @returns the position up to which every message of the topic is acknowledged, if it has moved */
  acknowledge(messageId: number): Reached | undefined {
    const sent = this.byId.get(messageId);
    if (sent === undefined) return undefined;
    this.byId.delete(messageId);
    if (this.count <= MAX_OF_REPLAY / 2) this.drain.drained();
    const { topic, before, after } = sent;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    else if (before !== undefined) this.lastByTopic.set(topic, before);
    else this.lastByTopic.delete(topic);
    return moveOn(topic, before, sent.cursor);
  }
}

/** @param unacknowledged the message before the position, if there is one: the position is reached with it */
function moveOn(topic: string, unacknowledged: Sent | undefined, cursor: Cursor | undefined): Reached | undefined {
  if (cursor === undefined) return undefined;
  if (unacknowledged === undefined) return { topic, cursor };
  unacknowledged.cursor = cursor;
  return undefined;
}
