/*
 * Resumes subscriptions without losing or repeating a notification: the live notifications are kept back before the
 * change log is read; the missed ones are sent, then the kept ones that are newer than the reading; then the
 * subscription is live.
 */
import {
  ByteBudget,
  CHANGE_LOG,
  LOGGER,
  WRITES_IN_FLIGHT,
  type ChangeLog,
  type Cursor,
  type GapReason,
  type Logger,
  type WritesInFlight,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { gapOf, TOO_MANY_CHANGES, type Gap } from '../Gap.js';
import { GapNotifier } from '../GapNotifier.js';
import { isOfRight, markCursor, positionOf } from '../rights/markCursor.js';
import type { Subscription } from '../rooms/Membership.js';
import { HeldNotifications } from './HeldNotifications.js';
import { Pacer } from './Pacer.js';
import { Replays, type Replayed } from './Replays.js';
import type { ResumeAsked } from './ResumeAsked.js';
import { SlowReplays } from './SlowReplays.js';
import { turnKeysOf } from './turnKeysOf.js';

/** Live notifications that all subscriptions of a server keep back. */
const MAX_HELD_BYTES = 64 * 2 ** 20;

/** The part of the answer to a subscription that concerns its position. */
type ResumeAnswer = {
  /** Absent if the server has no change log. */
  readonly cursor?: Cursor;
  readonly resumed: boolean;
  /** Why it was not resumed. */
  readonly gap?: Gap;
};

/** A resume whose answer may be sent. */
interface BegunResume {
  readonly answer: ResumeAnswer;
  /** Sends the missed notifications, then the live ones. Call once the answer has been sent. Absent: it is live. */
  readonly send?: () => void;
}

/** Resumes subscriptions. */
@scoped(Scope.ContainerScoped)
export class Resumes {
  private readonly heldBytes = new ByteBudget(MAX_HELD_BYTES);

  constructor(
    @inject(CHANGE_LOG) private readonly changes: ChangeLog | null,
    @inject(WRITES_IN_FLIGHT) private readonly writes: WritesInFlight,
    @inject(Replays) private readonly replays: Replays,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(Pacer) private readonly pacer: Pacer,
    @inject(SlowReplays) private readonly slow: SlowReplays,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Whether changes are recorded at all. */
  get isPossible(): boolean {
    return this.changes !== null;
  }

  /** @throws realtime.invalid_cursor (400) */
  check({ cursor }: ResumeAsked): void {
    if (cursor !== undefined) this.changes?.check(positionOf(cursor));
  }

  /** Keeps the live notifications of a subscription back from now on. @param cursor see `ResumeAsked` */
  hold(subscription: Subscription, cursor: Cursor | undefined): HeldNotifications {
    const { connection, room } = subscription.membership;
    const account = this.heldBytes.open(connection.remoteAddress);
    const held = new HeldNotifications(subscription, this.delivery, account);
    const { rightId } = room;
    if (cursor !== undefined && isOfRight(cursor, rightId)) held.replayAfter(positionOf(cursor));
    return held;
  }

  /** The position of a subscription that doesn't resume. @param reason if it should have been */
  private async position(subscription: Subscription, reason?: GapReason): Promise<ResumeAnswer> {
    const head = await this.changes?.head();
    if (head !== undefined) subscription.since = head;
    const { rightId } = subscription.membership.room;
    return {
      ...(head !== undefined && { cursor: markCursor(head, rightId) }),
      resumed: false,
      ...(reason !== undefined && { gap: gapOf(reason) }),
    };
  }

  /**
   * Reads what the subscription has missed: nothing, if it has no cursor. Its changes must be recorded and notified by
   * now (`Coverage`).
   * @param held absent: the subscription is live
   */
  async begin(
    subscription: Subscription,
    held: HeldNotifications | undefined,
    asked: ResumeAsked,
  ): Promise<BegunResume> {
    if (held === undefined) {
      const reason = asked.cursor === undefined ? undefined : 'not_recorded';
      return { answer: await this.position(subscription, reason) };
    }
    const { rightId } = subscription.membership.room;
    const found = await this.find(subscription, held, asked);
    if (typeof found === 'object') {
      subscription.since = found.head;
      const send = () => this.start(this.send(subscription, held, found));
      return { answer: { cursor: markCursor(found.head, rightId), resumed: true }, send };
    }
    const answer = await this.position(subscription, found);
    // The answer to a resume that this one has ended said that its replay follows.
    const lost = held.replaced === undefined ? undefined : gapOf(found ?? 'too_much');
    return { answer, send: () => this.start(this.goLive(subscription, held, lost)) };
  }

  /** @returns undefined if the client doesn't resume */
  private async find(
    { channel, membership, session }: Subscription,
    held: HeldNotifications,
    asked: ResumeAsked,
  ): Promise<Replayed | GapReason | undefined> {
    const { connection } = membership;
    const { cursor } = asked;
    if (cursor === undefined) return undefined;
    if (!isOfRight(cursor, channel.room.rightId)) return 'rights_changed';
    // That of a name: another resume of the connection, which knows nothing of it, has taken its place.
    if (!held.isCurrent && !held.needsReplay) return 'too_much';
    const position = positionOf(cursor);
    const from = held.replayAfter(position);
    // The effect of the changes since one position says nothing to a client that is at another one.
    const isShared = held.replaced !== undefined && held.replaced !== position;
    const missing = { channel, cursor: from, connection, session };
    return this.replays.find(missing, isShared ? { ...asked, mode: 'events' } : asked);
  }

  private start(work: Promise<void>): void {
    work.catch((error: unknown) => this.log.error({ err: error }, 'a subscription could not be resumed'));
  }

  private async send(
    subscription: Subscription,
    held: HeldNotifications,
    { head, count, envelopes, reading }: Replayed,
  ): Promise<void> {
    const { pacer } = this;
    const keys = turnKeysOf(subscription.membership.connection, subscription.session);
    const [address] = keys;
    if (pacer.isOver) await pacer.turn(keys);
    for (const envelope of envelopes) {
      if (pacer.isOver) await pacer.turn(keys);
      const drained = held.drained();
      if (drained !== undefined && !(await this.slow.wait(reading, address, drained))) {
        return this.goLive(subscription, held, gapOf('slow_consumer'));
      }
      if (!held.isCurrent) return;
      held.notify(envelope);
    }
    if (!held.isCurrent) return;
    held.replayed(head);
    const { room } = subscription.membership;
    const cursor = markCursor(head, room.rightId);
    held.notify(this.delivery.roomEnvelope(room, 'resumed', { cursor, count }, { cursor }));
    await this.goLive(subscription, held);
  }

  /**
   * Sends what was kept back, then passes on everything, and joins the channel once no replayed change can come.
   * @param lost why the replay was not sent whole
   */
  private async goLive(subscription: Subscription, held: HeldNotifications, lost?: Gap): Promise<void> {
    const { pacer, delivery } = this;
    const keys = turnKeysOf(subscription.membership.connection, subscription.session);
    while (lost === undefined && held.isCurrent && held.passNext()) {
      if (pacer.isOver) await pacer.turn(keys);
      const drained = held.drained();
      if (drained !== undefined) await drained;
    }
    if (!held.isCurrent) return;
    const gap = held.isOverfull ? TOO_MANY_CHANGES : lost;
    if (gap !== undefined) {
      await new Promise<void>((resolve) => {
        this.gaps.notifyOne(subscription, gap, () => (held.passAll(), resolve()));
      });
    } else held.passAll();
    // Changes of writes that run now may have been replayed already: they must have been notified before the
    // subscription joins. Twice, because a change may wait for a write that began after it (`ChangeOrder` of the storage).
    await this.writes.all();
    await this.writes.all();
    delivery.inOrder(() => held.end());
  }
}
