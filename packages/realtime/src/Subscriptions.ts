import {
  andThen,
  realtimeErrors,
  SERVER_NOTIFICATION,
  type CollectionName,
  type Connection,
  type JsonObject,
  type MaybePromise,
  type Request,
  type SyncOutcome,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RoomSharing } from './cluster/RoomSharing.js';
import { Delivery } from './Delivery.js';
import { GapNotifier } from './GapNotifier.js';
import { HeldNames } from './names/HeldNames.js';
import { Coverage } from './resume/Coverage.js';
import { turnKeysOf } from './Pacer.js';
import type { Subscription } from './rooms/Membership.js';
import { RoomTable, type SubscriptionAsked, type SubscriptionMade } from './rooms/RoomTable.js';
import { SessionWatch } from './sessions/SessionWatch.js';
import { UserNotifier } from './UserNotifier.js';

/** Begins and ends what receives the changes of a room: subscriptions, followed searches, waiting polls. */
@scoped(Scope.ContainerScoped)
export class Subscriptions {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SessionWatch) private readonly sessions: SessionWatch,
    @inject(UserNotifier) private readonly users: UserNotifier,
    @inject(RoomSharing) private readonly sharing: RoomSharing,
    @inject(Coverage) private readonly coverage: Coverage,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(HeldNames) private readonly heldNames: HeldNames,
  ) {
    heldNames.notify((subscription, reason) => this.end(subscription, SERVER_NOTIFICATION, reason));
    rooms.notifyRefused((members, reason) => {
      const held = [...members].flatMap(({ subscriptions }) => [...subscriptions.values()]);
      const message = `the query does not fit the changed mapping: ${reason}`;
      for (const each of held) this.end(each, SERVER_NOTIFICATION, message);
    });
  }

  /**
   * Adds a connection to the room of a filter or query, when it is the client's turn. Call `start` at once.
   * @param filter a filter, or `{query: Q}`
   * @throws realtime.*, query.* (400, 429, 503)
   */
  add(name: CollectionName, filter: JsonObject, asked: SubscriptionAsked): MaybePromise<SubscriptionMade> {
    const { connection, session, right } = asked;
    const mapping = this.rooms.tests.mappingFor(name, filter, right, turnKeysOf(connection, session));
    return andThen(mapping, (present) => this.rooms.subscribe(name, filter, asked, present));
  }

  /**
   * Starts the delivery to a subscription that was added. One that is held or follows a search joins its channel later.
   * @returns resolves when every change that commits from now on is notified; undefined: at once
   */
  start({ subscription, isNew, isNewMember }: SubscriptionMade, requestId: string): Promise<void> | undefined {
    const { membership, session } = subscription;
    const { connection, room } = membership;
    if (session !== null) this.sessions.watch(session, connection);
    if (isNewMember) this.notifyUsers(subscription, 'in', requestId);
    const known = isNew ? this.sharing.joined(subscription, requestId) : undefined;
    const joined = known && this.joinOnce(known, subscription);
    if (isNew && known === undefined) this.join(subscription);
    const ready = this.coverage.ready(room);
    const started = joined === undefined ? ready : joined.then(() => ready);
    const note = () => this.coverage.note(subscription);
    if (started !== undefined) return started.then(note);
    note();
    return undefined;
  }

  /** Whether the subscription has not ended, and its connection not closed. */
  isThere(subscription: Subscription): boolean {
    return this.rooms.holds(subscription) && subscription.membership.connection.lifetime?.isClosed !== true;
  }

  /**
   * Ends all of the connection's channels in the room.
   * @throws realtime.protocol_not_supported (400), realtime.not_subscribed (404), whether or not the room exists
   */
  unsubscribe(request: Request, roomId: string): MaybePromise<JsonObject> {
    this.delivery.assertReaches(request);
    const membership = this.rooms.find(roomId)?.members.get(request.connection.id);
    if (membership === undefined) throw realtimeErrors.not_subscribed({ roomId });
    for (const subscription of [...membership.subscriptions.values()]) this.end(subscription, request.requestId);
    return andThen(this.sharing.settled(), () => ({ roomId }));
  }

  /**
   * Ends a subscription, if it has not ended; the other members of the room are notified if the connection has left it.
   * @param reason sent to the connection on the channel; absent: no notification
   */
  end(subscription: Subscription, requestId = SERVER_NOTIFICATION, reason?: string): void {
    const { membership, channel } = subscription;
    const { connection, room } = membership;
    if (!this.rooms.holds(subscription)) return;
    const hasLeft = this.rooms.leave(subscription);
    this.heldNames.ended(subscription);
    if (reason !== undefined) {
      const { metadata } = membership;
      const envelope = this.delivery.roomEnvelope(room, 'subscriptionEnded', { reason }, { metadata });
      this.delivery.notify(connection, channel.name, envelope);
    }
    this.delivery.leave(subscription);
    channel.dropHeld(connection.id);
    if (!this.rooms.hasRooms(room)) this.coverage.ended(room, connection);
    this.sharing.left(membership, requestId);
    if (hasLeft) this.notifyUsers(subscription, 'out', requestId);
  }

  /** Ends all subscriptions of a connection that has closed. */
  endConnection(connection: Connection): void {
    for (const subscription of this.rooms.of(connection.id)) this.end(subscription);
    this.sessions.forget(connection);
  }

  /**
   * Starts delivery once all nodes know the subscription; nothing sent earlier is delivered. If a node doesn't answer,
   * its notifications are missing until it does or is declared dead: then a gap is sent, and delivery starts after it.
   * A node that reaches no other node delivers its own notifications meanwhile.
   */
  private async joinOnce(known: Promise<SyncOutcome>, subscription: Subscription): Promise<void> {
    const { isComplete, whenComplete } = await known;
    await new Promise<void>((resolve) => this.delivery.inOrder(resolve));
    if (isComplete || !this.sharing.isInTouch()) this.join(subscription);
    if (isComplete) return;
    void whenComplete.then(() => {
      if (!this.rooms.holds(subscription)) return;
      const message = 'another node did not know of this subscription until now';
      this.gaps.notifyInTurn(subscription, { reason: 'node_lost', message }, () => this.join(subscription));
    });
  }

  private join(subscription: Subscription): void {
    const { membership, channel, joinedAt } = subscription;
    const joinsLater = channel.options.followed !== undefined || channel.isHeld(membership.connection.id);
    // It may have been ended in the meantime.
    if (joinsLater || joinedAt !== undefined || !this.rooms.holds(subscription)) return;
    this.delivery.join(subscription);
  }

  private notifyUsers({ membership }: Subscription, scope: 'in' | 'out', requestId: string): void {
    const { connection, room, metadata, presence } = membership;
    this.users.notify(room, { scope, requestId, metadata, presence, connectionId: connection.id });
  }
}
