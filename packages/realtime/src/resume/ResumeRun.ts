import {
  Queue,
  type ByteAccount,
  type Connection,
  type Cursor,
  type GapReason,
  type TurnKeys,
  type WritesInFlight,
} from '@millrace/kernel';
import type { Delivery } from '../Delivery.js';
import { gapOf, TOO_MANY_CHANGES, type Gap } from '../Gap.js';
import type { GapNotifier } from '../GapNotifier.js';
import { isOfRight, markCursor, positionOf } from '../rights/markCursor.js';
import type { HeldSubscription } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';
import { type Pacer, turnKeysOf } from '../Pacer.js';
import type { Replayed, Replays } from './Replays.js';
import type { ResumeAsked } from './ResumeAsked.js';
import type { SlowReplays } from './SlowReplays.js';

const MAX_BYTES = 8 * 2 ** 20;
/** Objects and slots in addition to the content. */
const BYTES_PER_ENVELOPE = 100;

interface HeldEnvelope {
  readonly envelope: string;
  readonly cursor: Cursor | undefined;
}

/**
 * One subscription while it resumes. Its live notifications are kept back while the missed ones are read and sent; then
 * they are passed on one by one, without those that were replayed. Once no replayed change can arrive any more, the
 * subscription joins its channel.
 */
export class ResumeRun implements HeldSubscription {
  /** True once live notifications were dropped because more waited than is kept. */
  isOverfull = false;
  private readonly waiting = new Queue<HeldEnvelope>();
  private isPassing = false;
  /** Changes up to here were replayed. */
  private head: Cursor = '';
  /** The position of a resume of the same connection that this one has ended: its replay must be sent too. */
  private readonly replaced: Cursor | undefined;
  /** The notifications after it must be replayed; undefined: none. */
  private replayFrom: Cursor | undefined;

  /** @param account of the notifications that are kept back */
  constructor(
    private readonly subscription: Subscription,
    private readonly account: ByteAccount,
    private readonly replays: Replays,
    private readonly delivery: Delivery,
    private readonly gaps: GapNotifier,
    private readonly pacer: Pacer,
    private readonly slow: SlowReplays,
    private readonly writes: WritesInFlight,
  ) {
    const { channel } = subscription;
    const former = channel.held.get(this.connection.id);
    this.replaced = former instanceof ResumeRun ? former.replayFrom : undefined;
    this.replayFrom = this.replaced;
    channel.dropHeld(this.connection.id);
    delivery.leave(subscription);
    channel.held.set(this.connection.id, this);
  }

  get connection(): Connection {
    return this.subscription.membership.connection;
  }

  take(envelope: string, cursor: Cursor | undefined): void {
    if (this.isPassing) return this.pass({ envelope, cursor });
    if (this.isOverfull) return;
    const bytes = bytesOf(envelope);
    if (this.account.heldBytes + bytes <= MAX_BYTES && this.account.take(bytes)) {
      this.waiting.push({ envelope, cursor });
      return;
    }
    this.isOverfull = true;
    this.drop();
  }

  drop(): void {
    this.account.close();
    this.waiting.clear();
  }

  /** The notifications after a position must be replayed. @returns the earliest such position */
  replayAfter(position: Cursor): Cursor {
    const { replayFrom } = this;
    return (this.replayFrom = replayFrom !== undefined && replayFrom < position ? replayFrom : position);
  }

  /** Reads what the client has missed. @returns why it is unknown; undefined if the client doesn't resume */
  async find(asked: ResumeAsked): Promise<Replayed | GapReason | undefined> {
    const { channel, session } = this.subscription;
    const { cursor } = asked;
    if (cursor === undefined) return undefined;
    if (!isOfRight(cursor, channel.room.rightId)) return 'rights_changed';
    // That of a name: another resume of the connection, which knows nothing of it, has taken its place.
    if (!this.isCurrent && this.replayFrom === undefined) return 'too_much';
    const position = positionOf(cursor);
    const from = this.replayAfter(position);
    // The effect of the changes since one position says nothing to a client that is at another one.
    const isShared = this.replaced !== undefined && this.replaced !== position;
    const missing = { channel, cursor: from, connection: this.connection, session };
    return this.replays.find(missing, isShared ? { ...asked, mode: 'events' } : asked);
  }

  /** Sends the missed notifications, then those that were kept back, and joins the channel. */
  async send({ head, count, envelopes, reading }: Replayed): Promise<void> {
    const { pacer } = this;
    const [address] = this.turnKeys;
    if (pacer.isOver) await pacer.turn(this.turnKeys);
    for (const envelope of envelopes) {
      if (pacer.isOver) await pacer.turn(this.turnKeys);
      const drained = this.delivery.drained(this.connection);
      if (drained !== undefined && !(await this.slow.wait(reading, address, drained))) {
        return this.goLive(gapOf('slow_consumer'));
      }
      if (!this.isCurrent) return;
      this.notify(envelope);
    }
    if (!this.isCurrent) return;
    this.head = head;
    this.replayFrom = undefined;
    const { room } = this.subscription.membership;
    const cursor = markCursor(head, room.rightId);
    this.notify(this.delivery.roomEnvelope(room, 'resumed', { cursor, count }, { cursor }));
    await this.goLive();
  }

  /** Sends what was kept back, without missed notifications, and joins the channel. @param gap why they are unknown */
  async sendLive(gap: GapReason | undefined): Promise<void> {
    // The answer to a resume that this one has ended said that its replay follows.
    await this.goLive(this.replaced === undefined ? undefined : gapOf(gap ?? 'too_much'));
  }

  /** Sends the next of the notifications that were kept. @returns false if there is none */
  passNext(): boolean {
    const next = this.waiting.take();
    if (next === undefined) return false;
    this.account.give(bytesOf(next.envelope));
    this.pass(next);
    return true;
  }

  /**
   * Sends what was kept back, then passes on everything, and joins the channel once no replayed change can come.
   * @param lost why the replay was not sent whole
   */
  private async goLive(lost?: Gap): Promise<void> {
    const { pacer, delivery } = this;
    while (lost === undefined && this.isCurrent && this.passNext()) {
      if (pacer.isOver) await pacer.turn(this.turnKeys);
      const drained = delivery.drained(this.connection);
      if (drained !== undefined) await drained;
    }
    if (!this.isCurrent) return;
    const gap = this.isOverfull ? TOO_MANY_CHANGES : lost;
    if (gap !== undefined) {
      await new Promise<void>((resolve) => {
        this.gaps.notifyOne(this.subscription, gap, () => (this.passAll(), resolve()));
      });
    } else this.passAll();
    // Changes of writes that run now may have been replayed already: they must have been notified before the
    // subscription joins. Twice, because a change may wait for a write that began after it (`ChangeOrder` of the storage).
    await this.writes.all();
    await this.writes.all();
    delivery.inOrder(() => this.join());
  }

  /** False once the subscription has ended, or resumes again. */
  private get isCurrent(): boolean {
    return this.subscription.channel.held.get(this.connection.id) === this;
  }

  private get turnKeys(): TurnKeys {
    return turnKeysOf(this.connection, this.subscription.session);
  }

  /** From now on, notifications are sent at once. */
  private passAll(): void {
    this.drop();
    this.replayFrom = undefined;
    this.isPassing = true;
  }

  private join(): void {
    if (!this.isCurrent) return;
    this.subscription.channel.held.delete(this.connection.id);
    this.delivery.join(this.subscription);
  }

  private pass({ envelope, cursor }: HeldEnvelope): void {
    if (cursor === undefined || cursor > this.head) this.notify(envelope);
  }

  /** Sends directly to this subscription. */
  private notify(envelope: string): void {
    this.delivery.notify(this.connection, this.subscription.channel.name, envelope);
  }
}

function bytesOf(envelope: string): number {
  return envelope.length + BYTES_PER_ENVELOPE;
}
