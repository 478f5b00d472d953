/*
 * Ends subscriptions when tokens end or rights change. Expiry is known in advance and watched; everything else
 * arrives as an event, after which `SubscriptionReview` re-evaluates all subscriptions.
 */
import {
  CLOCK,
  HOOKS,
  SERVER_NOTIFICATION,
  type Clock,
  type Connection,
  type Hooks,
  type Lifecycle,
  type Session,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import type { Subscription } from '../rooms/Membership.js';
import { Names } from '../names/Names.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { Subscriptions } from '../Subscriptions.js';
import { SessionWatch } from './SessionWatch.js';
import { SubscriptionReview } from './SubscriptionReview.js';

/** Ends subscriptions whose token or right is no longer valid. */
@scoped(Scope.ContainerScoped)
export class SessionEnds implements Lifecycle {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(SessionWatch) private readonly sessions: SessionWatch,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SubscriptionReview) private readonly review: SubscriptionReview,
    @inject(Names) private readonly names: Names,
    @inject(HOOKS) private readonly hooks: Hooks,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    const { hooks } = this;
    const own = 'realtime';
    this.sessions.notify((session, connections) => this.expire(session, connections));
    hooks.add('connection.closed', own, ({ connection }) => {
      this.subscriptions.endConnection(connection);
    });
    hooks.add('auth.loggedIn', own, ({ session, connection }) => this.login(session, connection));
    hooks.add('auth.loggedOut', own, ({ session, connection }) => this.logout(session, connection));
    hooks.add('auth.tokenRefreshed', own, ({ previous, session, connection }) => {
      this.replace(previous, session, connection);
    });
    hooks.add('auth.tokenRefreshedElsewhere', own, ({ previous, session }) => {
      this.replace(previous, session);
    });
    for (const event of ['auth.tokensRevoked', 'security.userChanged', 'security.profileChanged', 'security.roleChanged', 'security.apiKeyChanged', 'security.changedElsewhere'] as const) {
      hooks.add(event, own, () => this.review.request());
    } // prettier-ignore
    hooks.add('security.userChanged', own, ({ id: user, change }) => {
      if (change === 'deleted') return this.names.removeAll({ user });
      // Those of a former user with the same id, if a crash kept them from being removed.
      return change === 'created' ? this.names.removeAll({ user }, this.clock.nowMs()) : undefined;
    });
    hooks.add('security.apiKeyChanged', own, ({ userId: user, keyId: apiKeyId, change }) => {
      return change === 'deleted' ? this.names.removeAll({ user, apiKeyId }) : undefined;
    });
  }

  async stop(): Promise<void> {}

  private login(session: Session, connection: Connection): void {
    if (!this.delivery.reaches(connection.protocol)) return;
    this.sessions.watch(session, connection);
    for (const subscription of this.rooms.of(connection.id)) {
      if (subscription.session?.userId === session.userId) subscription.session = session;
    }
  }

  private logout(session: Session, connection: Connection): void {
    for (const subscription of this.rooms.of(connection.id)) this.subscriptions.end(subscription);
    for (const subscription of this.resting(session)) {
      this.subscriptions.end(subscription, SERVER_NOTIFICATION, 'the token was revoked');
    }
    this.sessions.forgetToken(session.tokenId);
  }

  /** @param connection the connection on which the exchange was requested; absent: on another node */
  private replace(previous: Session, session: Session, connection?: Connection): void {
    const carried = this.resting(previous);
    this.sessions.forgetToken(previous.tokenId);
    if (connection !== undefined && this.delivery.reaches(connection.protocol)) {
      this.sessions.watch(session, connection);
    }
    for (const subscription of carried) {
      subscription.session = session;
      this.sessions.watch(session, subscription.membership.connection);
    }
  }

  private resting({ tokenId }: Session): readonly Subscription[] {
    return this.sessions
      .connectionsOf(tokenId)
      .flatMap(({ id }) => this.rooms.of(id).filter(({ session }) => session?.tokenId === tokenId));
  }

  private expire(session: Session, connections: readonly Connection[]): void {
    const envelope = this.delivery.envelope({
      requestId: SERVER_NOTIFICATION,
      controller: 'auth',
      action: 'jwtTokenExpired',
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      scope: null,
      result: { message: 'Token expired' },
    });
    for (const connection of connections) {
      const held = this.rooms.of(connection.id);
      for (const { channel } of held) this.delivery.notify(connection, channel.name, envelope);
      this.delivery.notify(connection, null, envelope);
      for (const subscription of held) {
        if (subscription.session?.tokenId === session.tokenId) this.subscriptions.end(subscription);
      }
    }
  }
}
