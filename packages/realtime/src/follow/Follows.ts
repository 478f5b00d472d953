/*
 * Followed searches. A follower is a subscription in the room of the search's query, on a dedicated channel: its
 * rights, sessions, limits and ends are those of other subscriptions, and the room finds the changes that concern it.
 */
import {
  ANONYMOUS,
  apiErrors,
  canonicalJson,
  CLOCK,
  MillraceError,
  queryErrors,
  realtimeErrors,
  SECURITY,
  type Clock,
  type CollectionName,
  type Connection,
  type Cursor,
  type JsonObject,
  type Request,
  type Security,
} from '@millrace/kernel';
import { mentionsNow } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { Delivery } from '../Delivery.js';
import { envelopeAround, SERVER_NOTIFICATION } from '../Notification.js';
import { markCursor } from '../rights/markCursor.js';
import { ReadRights } from '../rights/ReadRights.js';
import { SubscriptionStart } from '../resume/SubscriptionStart.js';
import { turnKeysOf } from '../resume/turnKeysOf.js';
import type { Channel } from '../rooms/Channel.js';
import type { Subscription } from '../rooms/Membership.js';
import { RoomTable, type SubscriptionMade } from '../rooms/RoomTable.js';
import { Subscriptions } from '../Subscriptions.js';
import { targetOf } from '../targetOf.js';
import { FollowBudget } from './FollowBudget.js';
import { FollowCounts } from './FollowCounts.js';
import { FollowedSearch, type FollowCaller } from './FollowedSearch.js';
import type { FollowPlan } from './FollowPlan.js';
import { FollowView } from './FollowView.js';
import { RerunQueue, type Rerunner } from './RerunQueue.js';
import { windowCheck } from './windowCheck.js';
import type { WindowDelta } from './windowDelta.js';

/** What a follower asks for. */
interface FollowAsked {
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

const DEFAULT_SIZE = 10;
const BYTES_PER_CHARACTER = 2;

/** Lets connections follow searches. */
@scoped(Scope.ContainerScoped)
export class Follows {
  private readonly views = new WeakMap<Channel, FollowView>();

  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(SubscriptionStart) private readonly start: SubscriptionStart,
    @inject(FollowedSearch) private readonly searches: FollowedSearch,
    @inject(FollowBudget) private readonly budget: FollowBudget,
    @inject(SECURITY) private readonly security: Security,
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(ReadRights) private readonly readRights: ReadRights,
    @inject(RerunQueue) private readonly reruns: RerunQueue,
    @inject(FollowCounts) private readonly counts: FollowCounts,
  ) {}

  /**
   * @returns the result of the search, or the deltas after the caller's position
   * @throws what `document.search` answers, realtime.* (400, 429, 503)
   */
  async follow(request: Request, asked: FollowAsked): Promise<JsonObject> {
    this.check(request, asked);
    const { name, search, isStrict } = asked;
    await this.security.authorizeTarget(request, targetOf(name, 'document', 'search'));
    const plan = await this.searches.plan(name, search, request);
    if (isStrict && plan.mode === 'rerun') throw realtimeErrors.not_incremental(plan);
    const made = await this.subscribe(request, asked, plan);
    const { subscription, isNew } = made;
    const { channel } = subscription;
    try {
      await this.start.run(request, made, { joinsLater: true });
      const view = this.views.get(channel) ?? this.addView(channel, asked, plan, request.connection);
      const result = await view.result();
      const { cursor, hits, total, aggregations } = result;
      const { mode } = plan;
      const because = mode === 'rerun' && { because: plan.because };
      const base = { followId: channel.name, channel: channel.name, mode, ...because };
      const deltas = asked.cursor === undefined ? undefined : view.after(asked.cursor);
      request.onAnswered(() => this.join(subscription, view, cursor));
      return {
        ...base,
        cursor,
        ...(deltas === undefined
          ? {
              hits: hits.map(({ json }) => JSON.parse(json) as JsonObject),
              total,
              ...(aggregations !== null && { aggregations }),
            }
          : { deltas: deltas.map(({ json }) => JSON.parse(json) as JsonObject) }),
        check: windowCheck(hits),
      };
    } catch (error) {
      if (isNew && this.rooms.holds(subscription)) this.subscriptions.end(subscription);
      throw error;
    }
  } // prettier-ignore

  /** @throws realtime.not_followed (404) */
  unfollow(request: Request, followId: string): JsonObject {
    const followed = this.rooms
      .of(request.connection.id)
      .find(({ channel }) => channel.name === followId && channel.watcher !== undefined);
    if (followed === undefined) throw realtimeErrors.not_followed({ followId });
    this.subscriptions.end(followed, request.requestId);
    return { followId };
  }

  private check({ action, connection }: Request, { search }: FollowAsked): void {
    const { protocol } = connection;
    if (!this.delivery.reaches(protocol)) {
      throw realtimeErrors.protocol_not_supported({ action, protocol });
    }
    if (search.scroll !== undefined) {
      const expected = 'a search without scroll';
      throw apiErrors.invalid_argument({
        name: 'scroll',
        value: JSON.stringify(search.scroll),
        expected,
      });
    }
    const { maxWindow } = this.config.follow;
    const { from = 0, size = DEFAULT_SIZE } = search;
    // Anything but numbers is refused by the search.
    if (Number(from) + Number(size) > maxWindow) {
      const expected = `from + size of at most ${maxWindow}`;
      throw apiErrors.invalid_argument({
        name: 'size',
        value: `${Number(from)} + ${Number(size)}`,
        expected,
      });
    }
  }

  private async subscribe(request: Request, asked: FollowAsked, { changes }: FollowPlan): Promise<SubscriptionMade> {
    try {
      return await this.enter(request, asked, changes);
    } catch (error) {
      const isUndecidable = 'query' in changes && isRefusedQuery(error);
      if (!isUndecidable) throw error;
      // The search says what is wrong with a wrong query.
      return this.enter(request, asked, {});
    }
  }

  private async enter(
    request: Request,
    { name, search, maxRateMs }: FollowAsked,
    changes: JsonObject,
  ): Promise<SubscriptionMade> {
    const { connection, session, user } = request;
    // The room belongs to the right of the user.
    const right = await this.readRights.of(request, name);
    const owner = this.searches.hasPipes ? [user._id] : [];
    const followed = canonicalJson([search, maxRateMs, ...owner]);
    const options = { scope: 'none', state: 'done', users: 'none', followed } as const;
    const client = turnKeysOf(connection, session);
    const mapping = await this.rooms.tests.mappingFor(name, changes, right, client);
    const asked = { connection, options, right, metadata: {}, presence: null, session } as const;
    const metadataBytes = BYTES_PER_CHARACTER * followed.length;
    return this.rooms.subscribe(name, changes, { ...asked, metadataBytes, action: 'follow' }, mapping);
  } // prettier-ignore

  private addView(
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
      runsAgain: () => this.counts.runsAgain(plan.mode),
      // Views without followers are closed.
      inTurn: (run) => (channel.isEmpty ? run() : this.reruns.run(this.rerunnersOf(channel), run)),
      publish: (delta) => this.publish(channel, delta),
      keep: (bytes) => this.budget.keep(view, bytes),
      refused: (error) => this.end(channel, error),
    });
    this.budget.add(view, remoteAddress);
    this.views.set(channel, view);
    this.counts.begun(plan.mode);
    channel.watcher = {
      changed: (change, effect) => view.changed(change, effect),
      close: () => {
        view.close();
        this.budget.remove(view);
        this.counts.ended(plan.mode);
      },
    };
    return view;
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

  /** Sends the deltas since the answer, then all that follow. */
  private join(subscription: Subscription, view: FollowView, cursor: string): void {
    if (!this.rooms.holds(subscription)) return;
    const { channel, membership } = subscription;
    for (const delta of view.after(cursor) ?? []) {
      this.delivery.notify(membership.connection, channel.name, this.envelope(channel, delta));
    }
    this.delivery.join(subscription);
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

function isRefusedQuery(error: unknown): boolean {
  return error instanceof MillraceError && error.id === queryErrors.invalid.id;
}
