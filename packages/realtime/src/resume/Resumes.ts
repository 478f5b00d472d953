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
import { gapOf, type Gap } from '../Gap.js';
import { GapNotifier } from '../GapNotifier.js';
import { isOfRight, markCursor, positionOf } from '../rights/markCursor.js';
import type { Subscription } from '../rooms/Membership.js';
import { Pacer } from '../Pacer.js';
import { Replays } from './Replays.js';
import type { ResumeAsked } from './ResumeAsked.js';
import { ResumeRun } from './ResumeRun.js';
import { SlowReplays } from './SlowReplays.js';

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
  hold(subscription: Subscription, cursor: Cursor | undefined): ResumeRun {
    const { replays, delivery, gaps, pacer, slow, writes } = this;
    const { connection, room } = subscription.membership;
    const account = this.heldBytes.open(connection.remoteAddress);
    const run = new ResumeRun(subscription, account, replays, delivery, gaps, pacer, slow, writes);
    if (cursor !== undefined && isOfRight(cursor, room.rightId)) run.replayAfter(positionOf(cursor));
    return run;
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
   * @param run absent: the subscription is live
   */
  async begin(subscription: Subscription, run: ResumeRun | undefined, asked: ResumeAsked): Promise<BegunResume> {
    if (run === undefined) {
      const reason = asked.cursor === undefined ? undefined : 'not_recorded';
      return { answer: await this.position(subscription, reason) };
    }
    const found = await run.find(asked);
    if (typeof found === 'object') {
      subscription.since = found.head;
      const cursor = markCursor(found.head, subscription.membership.room.rightId);
      return { answer: { cursor, resumed: true }, send: () => this.start(run.send(found)) };
    }
    const answer = await this.position(subscription, found);
    return { answer, send: () => this.start(run.sendLive(found)) };
  }

  private start(work: Promise<void>): void {
    work.catch((error: unknown) => this.log.error({ err: error }, 'a subscription could not be resumed'));
  }
}
