import {
  ANONYMOUS,
  CLOCK,
  envelopeAround,
  realtimeErrors,
  SECURITY,
  SERVER_NOTIFICATION,
  type Clock,
  type CollectionName,
  type Connection,
  type Cursor,
  type JsonObject,
  type MillraceError,
  type Security,
} from '@millrace/kernel';
import { mentionsNow } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { markCursor } from '../rights/markCursor.js';
import type { Channel } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';
import { Subscriptions } from '../Subscriptions.js';
import { FollowBudget } from './FollowBudget.js';
import { FollowedSearch, type FollowCaller } from './FollowedSearch.js';
import type { FollowPlan } from './FollowPlan.js';
import { FollowView } from './FollowView.js';
import { RerunQueue, type Rerunner } from './RerunQueue.js';
import type { WindowDelta } from './windowDelta.js';

/** Time in one turn of the event loop that changes of followed searches may take at once. */
const MAX_TURN_MS = 4;

/** What a follower asks for. */
export interface FollowAsked {
  readonly name: CollectionName;
  /** As for `document.search`. */
  readonly search: JsonObject;
  /** The position of the result that the follower has; absent: none. */
  readonly cursor: Cursor | undefined;
  /** Least time between two deltas, in milliseconds. */
  readonly maxRateMs: number;
  /** Refuse to follow by running the search again. */
  readonly isStrict: boolean;
}

/** The followed searches of a server: one view for the followers on each channel. */
@scoped(Scope.ContainerScoped)
export class FollowViews {
  private readonly views = new WeakMap<Channel, FollowView>();
  /** Of the current turn of the event loop, since the first change in it; undefined: there was none. */
  private turnStartMs: number | undefined;

  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(FollowedSearch) private readonly searches: FollowedSearch,
    @inject(FollowBudget) private readonly budget: FollowBudget,
    @inject(SECURITY) private readonly security: Security,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(RerunQueue) private readonly reruns: RerunQueue,
  ) {}

  /** The view of the followers on a channel. @throws realtime.too_many_follows (429) */
  of(channel: Channel, asked: FollowAsked, plan: FollowPlan, connection: Connection): FollowView {
    return this.views.get(channel) ?? this.add(channel, asked, plan, connection);
  }

  /** Sends the deltas since the answer, then all that follow. */
  join(subscription: Subscription, view: FollowView, cursor: string): void {
    if (!this.subscriptions.isThere(subscription)) return;
    const { channel, membership } = subscription;
    for (const delta of view.after(cursor) ?? []) {
      this.delivery.notify(membership.connection, channel.name, this.envelope(channel, delta));
    }
    this.delivery.join(subscription);
  }

  private add(
    channel: Channel,
    { name, search, maxRateMs }: FollowAsked,
    plan: FollowPlan,
    { remoteAddress }: Connection,
  ): FollowView {
    const view: FollowView = new FollowView({
      clock: this.clock,
      maxRateMs,
      isTimed: mentionsNow(JSON.stringify(search)),
      search: async () => {
        const found = await this.searches.run(name, search, plan, await this.callerOf(channel));
        // One that is kept up to date marks its cursors itself.
        if (found.kept !== undefined) return found;
        return { ...found, cursor: markCursor(found.cursor, channel.room.rightId) };
      },
      runsAgain: () => this.budget.runsAgain(plan.mode),
      hasTime: () => this.hasTime(),
      // Views without followers are closed.
      inTurn: (run) => (channel.isEmpty ? run() : this.reruns.run(this.rerunnersOf(channel), run)),
      publish: (delta) => this.publish(channel, delta),
      keep: (bytes) => this.budget.keep(view, bytes),
      refused: (error) => this.end(channel, error),
    });
    this.budget.add(view, plan.mode, remoteAddress);
    this.views.set(channel, view);
    channel.watcher = {
      changed: (change, effect) => view.changed(change, effect),
      close: () => {
        view.close();
        this.budget.remove(view);
      },
    };
    return view;
  }

  /** Apart from `hasTime` of the kernel, whose time is that of requests: changes must not take it from them. */
  private hasTime(): boolean {
    const nowMs = this.clock.monotonicMs();
    if (this.turnStartMs === undefined) {
      this.turnStartMs = nowMs;
      setImmediate(() => (this.turnStartMs = undefined));
    }
    return nowMs - this.turnStartMs <= MAX_TURN_MS;
  }

  /**
   * A follower on a channel who still has the right that all of them had.
   * @throws realtime.not_followed (404) if there is none
   */
  private async callerOf(channel: Channel): Promise<FollowCaller> {
    for (const { session, membership } of this.followersOf(channel)) {
      const { connection, room } = membership;
      const user = session === null ? (connection.user ?? ANONYMOUS) : await this.security.userOf(session);
      if (user === null) continue;
      const caller = { connection, session, user };
      if (await this.searches.maySearch(room, caller, room.rightId)) return caller;
    }
    throw realtimeErrors.not_followed({ followId: channel.name });
  }

  private publish(channel: Channel, delta: WindowDelta): void {
    this.delivery.publish(channel, this.envelope(channel, delta));
  }

  private envelope({ name, room }: Channel, { json }: WindowDelta): string {
    const fields = {
      requestId: SERVER_NOTIFICATION,
      controller: 'realtime',
      action: 'followed',
      index: room.index,
      collection: room.collection,
      metadata: {},
      state: 'done',
      scope: null,
    } as const;
    const result = `{"followId":${JSON.stringify(name)},${json.slice(1)}`;
    return envelopeAround(fields, this.clock.nowMs(), result);
  }

  private end(channel: Channel, { message }: MillraceError): void {
    for (const subscription of [...this.followersOf(channel)]) {
      this.subscriptions.end(subscription, SERVER_NOTIFICATION, message);
    }
  }

  private *rerunnersOf(channel: Channel): Iterable<Rerunner> {
    for (const { membership, session } of this.followersOf(channel)) {
      const { connection } = membership;
      yield { connection, userId: session?.userId ?? (connection.user ?? ANONYMOUS)._id };
    }
  }

  private *followersOf({ room, name }: Channel): Iterable<Subscription> {
    for (const { subscriptions } of room.members.values()) {
      const subscription = subscriptions.get(name);
      if (subscription !== undefined) yield subscription;
    }
  }
}
