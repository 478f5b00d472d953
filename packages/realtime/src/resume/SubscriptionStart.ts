import {
  CLOCK,
  type Clock,
  type Cursor,
  type JsonObject,
  type MaybePromise,
  type Request,
  type SyncOutcome,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RoomSharing } from '../cluster/RoomSharing.js';
import { Delivery } from '../Delivery.js';
import { GapNotifier } from '../GapNotifier.js';
import { HeldNames } from '../names/HeldNames.js';
import { Names, type NameAsked } from '../names/Names.js';
import type { Subscription } from '../rooms/Membership.js';
import { RoomTable, type SubscriptionMade } from '../rooms/RoomTable.js';
import { SessionWatch } from '../sessions/SessionWatch.js';
import { UserNotifier } from '../UserNotifier.js';
import { Coverage } from './Coverage.js';
import type { HeldNotifications } from './HeldNotifications.js';
import type { ResumeAsked } from './ResumeAsked.js';
import { Resumes, type ResumeAnswer } from './Resumes.js';

const RESUME_FAILED = 'it could not be resumed';

/** How a subscription begins. */
export interface StartOptions {
  /** Absent: the client doesn't resume, and gets no position. */
  readonly resume?: ResumeAsked | undefined;
  readonly named?: NameAsked | undefined;
  /** The caller joins the channel (`Delivery.join`). */
  readonly joinsLater?: true;
}

/** Starts the delivery to a subscription that was registered, and answers the request. */
@scoped(Scope.ContainerScoped)
export class SubscriptionStart {
  private end: (subscription: Subscription, reason?: string) => void = () => undefined;

  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SessionWatch) private readonly sessions: SessionWatch,
    @inject(UserNotifier) private readonly users: UserNotifier,
    @inject(RoomSharing) private readonly sharing: RoomSharing,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(Coverage) private readonly coverage: Coverage,
    @inject(Resumes) private readonly resumes: Resumes,
    @inject(Names) private readonly names: Names,
    @inject(HeldNames) private readonly heldNames: HeldNames,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Sets the callback for subscriptions that could not be started: they must end. */
  onFailed(end: (subscription: Subscription, reason?: string) => void): void {
    this.end = end;
  }

  run(
    request: Request,
    { subscription, isNew, isNewMember }: SubscriptionMade,
    options: StartOptions,
  ): MaybePromise<JsonObject> {
    const { membership, channel } = subscription;
    const { connection, room, metadata, presence } = membership;
    const { requestId } = request;
    const { resume } = options;
    if (subscription.session !== null) this.sessions.watch(subscription.session, connection);
    if (isNewMember) {
      this.users.notify(room, { scope: 'in', requestId, metadata, presence, connectionId: connection.id });
    }
    const toResult = () => ({ roomId: room.id, channel: channel.name, timestamp: this.clock.nowMs() });
    const known = isNew ? this.sharing.joined(subscription, requestId) : undefined;
    // A name may have a position to resume from.
    const isResumed = this.resumes.isPossible && (resume?.cursor !== undefined || options.named !== undefined);
    let joined: Promise<void> | undefined;
    const joinsNow = !isResumed && options.joinsLater !== true;
    if (known !== undefined) joined = this.joinOnce(known, subscription, joinsNow);
    else if (isNew && joinsNow) this.delivery.join(subscription);
    const held = isResumed ? this.resumes.hold(subscription, resume?.cursor) : undefined;
    const ready = this.coverage.ready(room);
    if (joined === undefined && ready === undefined && resume === undefined) {
      this.resumes.note(subscription);
      return toResult();
    }
    const settle = async () => {
      try {
        await joined;
        await ready;
        if (resume === undefined) {
          this.resumes.note(subscription);
          return toResult();
        }
        const { cursor, ...named } = await this.claim(subscription, resume, options.named);
        const answer = await this.begin(request, subscription, held, { ...resume, cursor });
        return { ...toResult(), ...named, ...answer };
      } catch (error) {
        // One that was there before must not end in silence.
        if (this.rooms.holds(subscription)) this.end(subscription, isNew ? undefined : RESUME_FAILED);
        throw error;
      }
    };
    return settle();
  } // prettier-ignore

  /** @returns the position to resume from, with the fields of the answer that concern the name */
  private async claim(
    subscription: Subscription,
    { cursor }: ResumeAsked,
    named: NameAsked | undefined,
  ): Promise<{ cursor?: Cursor | undefined; name?: string; replaced?: true }> {
    if (named === undefined) return { cursor };
    const { lifetime } = subscription.membership.connection;
    const isThere = () => this.rooms.holds(subscription) && lifetime?.isClosed !== true;
    const claimed = await this.names.claim(subscription, named, isThere);
    // It may have been ended in the meantime.
    if (!isThere()) this.heldNames.ended(subscription);
    if (cursor !== undefined) this.names.resumed(subscription, cursor);
    return {
      cursor: cursor ?? claimed.cursor ?? undefined,
      name: named.name,
      ...(claimed.isReplaced && { replaced: true }),
    };
  }

  /** @param held absent: the subscription is live */
  private async begin(
    request: Request,
    subscription: Subscription,
    held: HeldNotifications | undefined,
    resume: ResumeAsked,
  ): Promise<ResumeAnswer> {
    if (held === undefined) {
      const reason = resume.cursor === undefined ? undefined : 'not_recorded';
      return this.resumes.position(subscription, reason);
    }
    const begun = await this.resumes.begin(subscription, held, resume);
    request.onAnswered(begun.send);
    return begun.answer;
  }

  /**
   * Starts delivery once all nodes know the subscription; nothing sent earlier is delivered. If a node doesn't answer,
   * its notifications are missing until it does or is declared dead: then a gap is sent, and delivery starts after it.
   * A node that reaches no other node delivers its own notifications meanwhile.
   */
  private async joinOnce(known: Promise<SyncOutcome>, subscription: Subscription, joinsNow: boolean): Promise<void> {
    const { isComplete, whenComplete } = await known;
    await new Promise<void>((resolve) => this.delivery.inOrder(resolve));
    const join = () => {
      if (joinsNow) this.join(subscription);
    };
    if (isComplete || !this.sharing.isInTouch()) join();
    if (isComplete) return;
    void whenComplete.then(() => {
      if (!this.rooms.holds(subscription)) return;
      const message = 'another node did not know of this subscription until now';
      this.gaps.notifyInTurn(subscription, { reason: 'node_lost', message }, join);
    });
  }

  private join(subscription: Subscription): void {
    const { membership, channel, joinedAt } = subscription;
    // It may have been ended in the meantime. One that resumes joins later.
    if (!this.rooms.holds(subscription) || channel.isHeld(membership.connection.id)) return;
    if (joinedAt === undefined) this.delivery.join(subscription);
  }
}
