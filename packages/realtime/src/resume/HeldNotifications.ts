import { Queue, type ByteAccount, type Connection, type Cursor } from '@millrace/kernel';
import type { Delivery } from '../Delivery.js';
import type { Channel, HeldSubscription } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';

const MAX_BYTES = 8 * 2 ** 20;
/** Objects and slots in addition to the content. */
const BYTES_PER_ENVELOPE = 100;

interface HeldEnvelope {
  readonly envelope: string;
  readonly cursor: Cursor | undefined;
}

/**
 * The live notifications of one subscription while its missed ones are replayed: first kept back, then passed on one
 * by one, without those that were replayed. Once no replayed change can arrive any more, the subscription joins its
 * channel.
 */
export class HeldNotifications implements HeldSubscription {
  readonly connection: Connection;
  private readonly channel: Channel;
  private readonly waiting = new Queue<HeldEnvelope>();
  private isPassing = false;
  /** Changes up to here were replayed. */
  private head: Cursor = '';
  private hasOverflowed = false;
  /** The position of a resume of the same connection that this one has ended: its replay must be sent too. */
  readonly replaced: Cursor | undefined;
  /** The notifications after it must be replayed; undefined: none. */
  private replayFrom: Cursor | undefined;

  /** @param account of the notifications that are kept back */
  constructor(
    private readonly subscription: Subscription,
    private readonly delivery: Delivery,
    private readonly account: ByteAccount,
  ) {
    this.connection = subscription.membership.connection;
    this.channel = subscription.channel;
    const former = this.channel.held.get(this.connection.id);
    this.replaced = former instanceof HeldNotifications ? former.replayFrom : undefined;
    this.replayFrom = this.replaced;
    this.channel.dropHeld(this.connection.id);
    delivery.leave(subscription);
    this.channel.held.set(this.connection.id, this);
  }

  /** False once the subscription has ended, or resumes again. */
  get isCurrent(): boolean {
    return this.channel.held.get(this.connection.id) === this;
  }

  /** Whether live notifications were dropped because more waited than is kept. */
  get isOverfull(): boolean {
    return this.hasOverflowed;
  }

  /** Whether notifications must be replayed. */
  get needsReplay(): boolean {
    return this.replayFrom !== undefined;
  }

  /** The notifications after a position must be replayed. @returns the earliest such position */
  replayAfter(position: Cursor): Cursor {
    const { replayFrom } = this;
    return (this.replayFrom = replayFrom !== undefined && replayFrom < position ? replayFrom : position);
  }

  take(envelope: string, cursor: Cursor | undefined): void {
    if (this.isPassing) return this.pass({ envelope, cursor });
    if (this.hasOverflowed) return;
    const bytes = bytesOf(envelope);
    if (this.account.heldBytes + bytes <= MAX_BYTES && this.account.take(bytes)) {
      this.waiting.push({ envelope, cursor });
      return;
    }
    this.hasOverflowed = true;
    this.drop();
  }

  drop(): void {
    this.account.close();
    this.waiting.clear();
  }

  /** To be awaited before the next notification is sent; undefined: the client has read most of what was sent. */
  drained(): Promise<void> | undefined {
    return this.delivery.drained(this.connection);
  }

  /** Sends directly to this subscription. */
  notify(envelope: string): void {
    this.delivery.notify(this.connection, this.channel.name, envelope);
  }

  /** The changes up to `head` have been replayed. */
  replayed(head: Cursor): void {
    this.head = head;
    this.replayFrom = undefined;
  }

  /** Sends the next of the notifications that were kept. @returns false if there is none */
  passNext(): boolean {
    const next = this.waiting.take();
    if (next === undefined) return false;
    this.account.give(bytesOf(next.envelope));
    this.pass(next);
    return true;
  }

  /** From now on, notifications are sent at once. */
  passAll(): void {
    this.drop();
    this.replayFrom = undefined;
    this.isPassing = true;
  }

  /** Joins the channel. */
  end(): void {
    if (!this.isCurrent) return;
    this.channel.held.delete(this.connection.id);
    this.delivery.join(this.subscription);
  }

  private pass({ envelope, cursor }: HeldEnvelope): void {
    if (cursor === undefined || cursor > this.head) this.notify(envelope);
  }
}

function bytesOf(envelope: string): number {
  return envelope.length + BYTES_PER_ENVELOPE;
}
