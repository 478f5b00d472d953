/*
 * Followed searches. A follower is a subscription in the room of the search's query, on a dedicated channel: its
 * rights, sessions, limits and ends are those of other subscriptions, and the room finds the changes that concern it.
 */
import {
  apiErrors,
  canonicalJson,
  MillraceError,
  queryErrors,
  realtimeErrors,
  SECURITY,
  type JsonObject,
  type Request,
  type Security,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { Delivery } from '../Delivery.js';
import { ReadRights } from '../rights/ReadRights.js';
import { RoomTable, type SubscriptionMade } from '../rooms/RoomTable.js';
import { Subscriptions } from '../Subscriptions.js';
import { targetOf } from '../targetOf.js';
import { FollowedSearch } from './FollowedSearch.js';
import type { FollowPlan } from './FollowPlan.js';
import { FollowViews, type FollowAsked } from './FollowViews.js';
import { windowCheck } from './windowCheck.js';

const DEFAULT_SIZE = 10;
const BYTES_PER_CHARACTER = 2;

/** Lets connections follow searches. */
@scoped(Scope.ContainerScoped)
export class Follows {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(FollowedSearch) private readonly searches: FollowedSearch,
    @inject(FollowViews) private readonly views: FollowViews,
    @inject(SECURITY) private readonly security: Security,
    @inject(ReadRights) private readonly readRights: ReadRights,
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
  ) {}

  /**
   * @returns the result of the search, or the deltas after the caller's position
   * @throws what `document.search` answers, realtime.* (400, 429, 503)
   */
  async follow(request: Request, asked: FollowAsked): Promise<JsonObject> {
    this.delivery.assertReaches(request);
    this.check(asked);
    const { name, search, isStrict } = asked;
    await this.security.authorizeTarget(request, targetOf(name, 'document', 'search'));
    const plan = await this.searches.plan(name, search, request);
    if (isStrict && plan.mode === 'rerun') throw realtimeErrors.not_incremental(plan);
    const made = await this.subscribe(request, asked, plan);
    const { subscription, isNew } = made;
    const { channel } = subscription;
    try {
      await this.subscriptions.start(made, request.requestId);
      const view = this.views.of(channel, asked, plan, request.connection);
      const result = await view.result();
      const { cursor, hits, total, aggregations } = result;
      const { mode } = plan;
      const because = mode === 'rerun' && { because: plan.because };
      const base = { followId: channel.name, channel: channel.name, mode, ...because };
      const deltas = asked.cursor === undefined ? undefined : view.after(asked.cursor);
      request.onAnswered(() => this.views.join(subscription, view, cursor));
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
      if (isNew) this.subscriptions.end(subscription);
      throw error;
    }
  }

  /** @throws realtime.not_followed (404) */
  unfollow(request: Request, followId: string): JsonObject {
    const followed = this.rooms
      .of(request.connection.id)
      .find(({ channel }) => channel.name === followId && channel.watcher !== undefined);
    if (followed === undefined) throw realtimeErrors.not_followed({ followId });
    this.subscriptions.end(followed, request.requestId);
    return { followId };
  }

  private check({ search }: FollowAsked): void {
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
    const asked = { connection, options, right, metadata: {}, presence: null, session } as const;
    const metadataBytes = BYTES_PER_CHARACTER * followed.length;
    return this.subscriptions.add(name, changes, { ...asked, metadataBytes, action: 'follow' });
  }
}

function isRefusedQuery(error: unknown): boolean {
  return error instanceof MillraceError && error.id === queryErrors.invalid.id;
}
