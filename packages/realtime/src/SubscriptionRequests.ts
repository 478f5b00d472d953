import {
  andThen,
  CLOCK,
  estimateJsonBytes,
  realtimeErrors,
  type Clock,
  type CollectionName,
  type Cursor,
  type JsonObject,
  type MaybePromise,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from './Delivery.js';
import { Names, type NameAsked } from './names/Names.js';
import type { ResumeAsked } from './resume/ResumeAsked.js';
import { Resumes } from './resume/Resumes.js';
import { ReadRights } from './rights/ReadRights.js';
import { RoomDirectory } from './RoomDirectory.js';
import type { ChannelOptions } from './rooms/ChannelOptions.js';
import type { Subscription } from './rooms/Membership.js';
import type { SubscriptionAsked, SubscriptionMade } from './rooms/RoomTable.js';
import { Subscriptions } from './Subscriptions.js';

/** How a connection wants to be subscribed. */
export interface SubscribeOptions {
  readonly channel: ChannelOptions;
  /** Absent: the client doesn't resume, and gets no position. */
  readonly resume?: ResumeAsked | undefined;
  /** Absent: the connection doesn't want to be seen. */
  readonly presence?: JsonObject | undefined;
  /** Absent: the server doesn't keep the subscription. */
  readonly name?: string | undefined;
}

/** How a subscription begins. */
interface StartOptions {
  readonly resume: ResumeAsked | undefined;
  readonly named?: NameAsked | undefined;
}

/** Answers requests to subscribe and to join a room. */
@scoped(Scope.ContainerScoped)
export class SubscriptionRequests {
  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(RoomDirectory) private readonly directory: RoomDirectory,
    @inject(Resumes) private readonly resumes: Resumes,
    @inject(Names) private readonly names: Names,
    @inject(ReadRights) private readonly readRights: ReadRights,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param filter a filter, or `{query: Q}`
   * @throws realtime.protocol_not_supported, realtime.*, query.* (400, 429, 503)
   */
  subscribe(
    request: Request,
    { index, collection }: CollectionName,
    filter: JsonObject,
    options: SubscribeOptions,
  ): MaybePromise<JsonObject> {
    const given = this.asked(request, options, 'subscribe');
    const named = options.name === undefined ? undefined : this.names.check(request, options.name);
    const name = { index, collection };
    const { resume } = options;
    return andThen(this.readRights.toTest(request, name, filter), (right) =>
      andThen(this.subscriptions.add(name, filter, { ...given, right }), (made) =>
        this.start(request, made, { resume, named }),
      ),
    );
  }

  /**
   * Requires the right `realtime.join` on the room's index and collection.
   * @throws realtime.protocol_not_supported, realtime.room_not_found (404), realtime.* (400, 429, 503), 401 or 403
   */
  async join(request: Request, roomId: string, options: SubscribeOptions): Promise<JsonObject> {
    const given = this.asked(request, options, 'join');
    const { room, right } = await this.directory.reach(request, roomId, 'join');
    const made = await this.subscriptions.add(room, room.filter, { ...given, right });
    return this.start(request, made, { resume: options.resume });
  }

  private asked(
    request: Request,
    { channel: options, resume, presence: shown }: SubscribeOptions,
    action: 'subscribe' | 'join',
  ): Omit<SubscriptionAsked, 'right'> {
    this.delivery.assertReaches(request);
    const { connection, metadata, session, user } = request;
    const presence = shown === undefined ? null : { userId: user._id, presence: shown, since: this.clock.nowMs() };
    const metadataBytes =
      checkMetadata(metadata) + (shown === undefined ? 0 : estimateJsonBytes(JSON.stringify(shown)));
    if (resume !== undefined) this.resumes.check(resume);
    return { connection, options, metadata, presence, metadataBytes, session, action };
  }

  private start(request: Request, made: SubscriptionMade, { resume, named }: StartOptions): MaybePromise<JsonObject> {
    const { subscription, isNew } = made;
    const { membership, channel } = subscription;
    // A name may have a position to resume from.
    const isResumed = this.resumes.isPossible && (resume?.cursor !== undefined || named !== undefined);
    const held = isResumed ? this.resumes.hold(subscription, resume?.cursor) : undefined;
    const started = this.subscriptions.start(made, request.requestId);
    const toResult = () => ({ roomId: membership.room.id, channel: channel.name, timestamp: this.clock.nowMs() });
    if (started === undefined && resume === undefined) return toResult();
    const settle = async () => {
      try {
        await started;
        if (resume === undefined) return toResult();
        const { cursor, ...answered } = await this.claim(subscription, resume, named);
        const { answer, send } = await this.resumes.begin(subscription, held, { ...resume, cursor });
        if (send !== undefined) request.onAnswered(send);
        return { ...toResult(), ...answered, ...answer };
      } catch (error) {
        // One that was there before must not end in silence.
        this.subscriptions.end(subscription, undefined, isNew ? undefined : 'it could not be resumed');
        throw error;
      }
    };
    return settle();
  }

  /** @returns the position to resume from, with the fields of the answer that concern the name */
  private async claim(
    subscription: Subscription,
    { cursor }: ResumeAsked,
    named: NameAsked | undefined,
  ): Promise<{ cursor?: Cursor | undefined; name?: string; replaced?: true }> {
    if (named === undefined) return { cursor };
    const claimed = await this.names.claim(subscription, named, () => this.subscriptions.isThere(subscription));
    if (cursor !== undefined) this.names.resumed(subscription, cursor);
    return {
      cursor: cursor ?? claimed.cursor ?? undefined,
      name: named.name,
      ...(claimed.isReplaced && { replaced: true }),
    };
  }
}

/**
 * A subscription's metadata stays in memory with it, and is sent to all members of the room when a member joins or
 * leaves.
 */
const MAX_METADATA_BYTES = 4_096;

/**
 * Validates the metadata of a request to subscribe or join.
 * @returns its estimated memory, in bytes
 * @throws realtime.metadata_too_large (400) for more than 4,096 bytes of JSON in UTF-8
 */
function checkMetadata(metadata: JsonObject): number {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_METADATA_BYTES) throw realtimeErrors.metadata_too_large({ bytes, limit: MAX_METADATA_BYTES });
  return estimateJsonBytes(json);
}
