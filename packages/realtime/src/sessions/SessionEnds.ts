/*
 * What tokens that end, and rights that change, do to subscriptions (decisions.md section 8). Expiry is known before and
 * watched; everything else comes as an event, after which each subscription concerned is judged anew by the service that
 * judges requests: a deleted user, a changed password and a right taken away all end in the same place.
 */
import {
  createRequest,
  isThenable,
  HOOKS,
  LOGGER,
  SECURITY,
  type Connection,
  type Hooks,
  type Lifecycle,
  type Logger,
  type MaybePromise,
  type Security,
  type Session,
  type User,
  ANONYMOUS,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { SERVER_NOTIFICATION } from '../Notification.js';
import type { Subscription } from '../rooms/Membership.js';
import { FilterIntake, type Waiting } from '../rooms/FilterIntake.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { Subscriptions, targetOf } from '../Subscriptions.js';
import { SessionWatch } from './SessionWatch.js';

// Many changes come at once (a role and the profiles with it): one look at all subscriptions serves them all.
const REVIEW_DELAY_MS = 50;
const REVIEWS_PER_TURN = 500;

/** Ends subscriptions whose token or right has gone. */
@injectable()
export class SessionEnds implements Lifecycle {
  private reviewTimer: NodeJS.Timeout | undefined;

  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(FilterIntake) private readonly intake: FilterIntake,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(SessionWatch) private readonly sessions: SessionWatch,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SECURITY) private readonly security: Security,
    @inject(HOOKS) private readonly hooks: Hooks,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    const { hooks } = this;
    const own = 'realtime';
    this.sessions.tell((session, connections) => this.expire(session, connections));
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
    for (const event of ['auth.tokensRevoked', 'security.userChanged', 'security.profileChanged', 'security.roleChanged', 'security.changedElsewhere'] as const) {
      hooks.add(event, own, () => {
        this.reviewSoon();
        // Those on their way in are judged too.
        this.intake.onTaken(() => this.reviewSoon());
      });
    } // prettier-ignore
  }

  async stop(): Promise<void> {
    clearTimeout(this.reviewTimer);
  }

  private login(session: Session, connection: Connection): void {
    if (!this.delivery.reaches(connection.protocol)) return;
    this.sessions.watch(session, connection);
    const isOfUser = (waiting: Waiting) => waiting.connection.id === connection.id && waiting.session?.userId === session.userId; // prettier-ignore
    this.intake.replaceSession(isOfUser, session);
    for (const subscription of this.rooms.of(connection.id)) {
      if (subscription.session?.userId === session.userId) subscription.session = session;
    }
  }

  private logout(session: Session, connection: Connection): void {
    this.intake.drop((waiting) => waiting.connection.id === connection.id || restsOn(waiting, session)); // prettier-ignore
    for (const subscription of this.rooms.of(connection.id)) this.subscriptions.end(subscription);
    for (const subscription of this.resting(session)) {
      this.subscriptions.end(subscription, SERVER_NOTIFICATION, 'the token was revoked');
    }
    this.sessions.forgetToken(session.tokenId);
  }

  /** @param connection the exchange was asked for on; absent: on another node */
  private replace(previous: Session, session: Session, connection?: Connection): void {
    this.intake.replaceSession((waiting) => restsOn(waiting, previous), session);
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
      for (const { channel } of held) this.delivery.tell(connection, channel.name, envelope);
      this.delivery.tell(connection, null, envelope);
      for (const subscription of held) {
        if (subscription.session?.tokenId === session.tokenId) this.subscriptions.end(subscription);
      }
    }
  }

  private reviewSoon(): void {
    this.reviewTimer ??= setTimeout(() => {
      this.reviewTimer = undefined;
      this.review().catch((error: unknown) => {
        this.log.error({ err: error }, 'subscriptions could not be judged anew');
      });
    }, REVIEW_DELAY_MS).unref();
  }

  private async review(): Promise<void> {
    let judged = 0;
    for (const subscription of this.rooms.subscriptions()) {
      let reason = this.refusal(subscription);
      if (isThenable(reason)) reason = await reason;
      if (reason !== null) this.subscriptions.end(subscription, SERVER_NOTIFICATION, reason);
      if (++judged % REVIEWS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Why a subscription must end; null where it may stay. */
  private refusal({ session, membership, action }: Subscription): MaybePromise<string | null> {
    const { connection, room } = membership;
    const judge = (user: User | null): MaybePromise<string | null> => {
      if (user === null) return 'the token has ended';
      const request = createRequest({ controller: 'realtime', action }, connection);
      request.user = user;
      request.session = session;
      const allowed = this.security.isAllowed(request, targetOf(room, 'realtime', action));
      const toReason = (is: boolean) => (is ? null : 'the right was taken away');
      return isThenable(allowed) ? allowed.then(toReason) : toReason(allowed);
    };
    if (session === null) return judge(connection.user ?? ANONYMOUS);
    const user = this.security.userOf(session);
    return isThenable(user) ? user.then(judge) : judge(user);
  }
}

function restsOn({ session }: Waiting, { tokenId }: Session): boolean {
  return session?.tokenId === tokenId;
}
