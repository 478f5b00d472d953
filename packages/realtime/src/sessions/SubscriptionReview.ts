/*
 * Re-evaluates all subscriptions after a change of users, profiles, roles or tokens: deleted users, changed passwords
 * and revoked rights are all handled here.
 *
 * Most decisions come from memory. The others need the storage, which may fail or hang: those subscriptions are
 * retried with growing pauses, and end once the review is `DECIDED_WITHIN_MS` old. A revoked right must not stay
 * effective because the change can't be read (docs/decisions/0018). While the storage responds, a queue that takes
 * longer is processed completely: slow isn't failing.
 */
import {
  andThen,
  ANONYMOUS,
  CLOCK,
  createRequest,
  isThenable,
  LOGGER,
  SECURITY,
  SERVER_NOTIFICATION,
  type Clock,
  type Lifecycle,
  type Logger,
  type MaybePromise,
  type Security,
  type User,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Subscription } from '../rooms/Membership.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { ReadRights } from '../rights/ReadRights.js';
import { rightIdOf } from '../matching/rightIdOf.js';
import { Subscriptions } from '../Subscriptions.js';
import { targetOf } from '../targetOf.js';

/** Changes come in bursts (a role and the profiles that contain it): one review covers them all. */
const REVIEW_DELAY_MS = 50;
/** Together with the delay before it, within the second of PROTO-88. */
const DECIDED_WITHIN_MS = 900;
const FIRST_PAUSE_MS = 50;
const DECIDED_PER_TURN = 500;
/** Maximum of concurrent decisions that wait for the storage. */
const MAX_WAITING = 256;
/**
 * If all slots are taken and no decision arrives for this long, the storage hangs, and the remaining subscriptions
 * don't wait for it.
 */
const STALLED_AFTER_MS = 250;

/** Ends subscriptions whose token or right is no longer valid or can't be verified. */
@scoped(Scope.ContainerScoped)
export class SubscriptionReview implements Lifecycle {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(SECURITY) private readonly security: Security,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(ReadRights) private readonly readRights: ReadRights,
  ) {}

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Schedules a review of all subscriptions, including those created before it runs. */
  request(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.review().catch((error: unknown) => {
        this.log.error({ err: error }, 'the review of subscriptions has failed');
      });
    }, REVIEW_DELAY_MS).unref();
  }

  private async review(): Promise<void> {
    const dueMs = this.clock.monotonicMs() + DECIDED_WITHIN_MS;
    let left = this.rooms.subscriptions();
    for (let pauseMs = FIRST_PAUSE_MS; !this.isStopped; pauseMs *= 2) {
      left = await this.decideAll(left, dueMs);
      if (left.length === 0) return;
      const leftMs = dueMs - this.clock.monotonicMs();
      if (leftMs <= 0) return this.endUndecided(left);
      await pause(Math.min(pauseMs, leftMs));
    }
  }

  /** @returns those that could not be decided */
  private async decideAll(subscriptions: readonly Subscription[], dueMs: number): Promise<readonly Subscription[]> {
    const left = new Set<Subscription>();
    let isFailing = false;
    let waitingCount = 0;
    let onVerdict: () => void = () => undefined;
    const verdict = (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        onVerdict = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    let decidedCount = 0;
    for (const subscription of subscriptions) {
      if (this.isStopped) return [];
      if (++decidedCount % DECIDED_PER_TURN === 0) await turn();
      const decided = this.decide(subscription);
      if (!isThenable(decided)) {
        if (!decided) left.add(subscription);
        continue;
      }
      // Removed once it is decided.
      left.add(subscription);
      waitingCount++;
      void decided.then((isDecided) => {
        waitingCount--;
        isFailing = !isDecided;
        if (isDecided) left.delete(subscription);
        onVerdict();
      });
      if (waitingCount < MAX_WAITING || isFailing) continue;
      await verdict(STALLED_AFTER_MS);
      isFailing ||= waitingCount >= MAX_WAITING;
    }
    // Decisions that started late get some time too.
    const endMs = Math.max(dueMs, this.clock.monotonicMs() + STALLED_AFTER_MS);
    for (let ms = endMs - this.clock.monotonicMs(); waitingCount > 0 && ms > 0;) {
      await verdict(ms);
      ms = endMs - this.clock.monotonicMs();
    }
    return [...left];
  }

  /** Ends the subscription if necessary. @returns false if it could not be decided; never rejects */
  private decide(subscription: Subscription): MaybePromise<boolean> {
    const { session } = subscription;
    const settle = (reason: string | null): boolean => {
      if (reason === null) {
        // Its search may have another result under the rights of now.
        subscription.channel.watcher?.changed();
        return true;
      }
      // Another token replaced this one in the meantime.
      if (subscription.session !== session) return false;
      this.end(subscription, reason);
      return true;
    };
    try {
      const reason = this.refusal(subscription);
      return isThenable(reason) ? reason.then(settle).catch(this.failed) : settle(reason);
    } catch (error) {
      return this.failed(error);
    }
  }

  private readonly failed = (error: unknown): boolean => {
    this.log.debug({ err: error }, 'a subscription could not be checked');
    return false;
  };

  private endUndecided(subscriptions: readonly Subscription[]): void {
    const { length: count } = subscriptions;
    this.log.error({ count }, 'subscriptions ended: their rights could not be verified');
    for (const subscription of subscriptions) {
      this.end(subscription, 'the right could not be verified');
    }
  }

  private end(subscription: Subscription, reason: string): void {
    this.subscriptions.end(subscription, SERVER_NOTIFICATION, reason);
  }

  /** Why a subscription must end; null if it may continue. */
  private refusal({ session, membership, action }: Subscription): MaybePromise<string | null> {
    const { connection, room } = membership;
    const decide = (user: User | null): MaybePromise<string | null> => {
      if (user === null) return 'the token has ended';
      const request = createRequest({ controller: 'realtime', action }, connection);
      request.user = user;
      request.session = session;
      const allowed = this.security.isAllowed(request, targetOf(room, 'realtime', action));
      return andThen(allowed, (is): MaybePromise<string | null> => {
        if (!is) return 'the right was taken away';
        return andThen(this.readRights.of(request, room), (right) =>
          rightIdOf(right) === room.rightId ? null : 'the right to the documents has changed',
        );
      });
    };
    if (session === null) return decide(connection.user ?? ANONYMOUS);
    const user = this.security.userOf(session);
    return isThenable(user) ? user.then(decide) : decide(user);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
