import {
  andThen,
  CLOCK,
  estimateJsonBytes,
  NODE_LINK,
  realtimeErrors,
  SECURITY,
  toCollectionKey,
  type Clock,
  type CollectionName,
  type Connection,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type NodeLink,
  type Request,
  type Security,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms } from './cluster/RemoteRooms.js';
import { RoomSharing } from './cluster/RoomSharing.js';
import { Delivery } from './Delivery.js';
import { ofRoom, SERVER_NOTIFICATION } from './Notification.js';
import type { ChannelOptions } from './rooms/ChannelOptions.js';
import { checkMetadata } from './rooms/checkMetadata.js';
import type { Subscription } from './rooms/Membership.js';
import { HeldNames } from './names/HeldNames.js';
import { Names } from './names/Names.js';
import { Coverage } from './resume/Coverage.js';
import type { ResumeAsked } from './resume/ResumeAsked.js';
import { Resumes } from './resume/Resumes.js';
import { SubscriptionStart } from './resume/SubscriptionStart.js';
import { turnKeysOf } from './resume/turnKeysOf.js';
import { PresenceList } from './rooms/PresenceList.js';
import { ReadRights } from './rights/ReadRights.js';
import { rightIdOf } from './rights/rightIdOf.js';
import { RoomTable, type SubscriptionAsked } from './rooms/RoomTable.js';
import { targetOf } from './targetOf.js';
import { UserNotifier } from './UserNotifier.js';
import { SessionWatch } from './sessions/SessionWatch.js';

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

/** Subscribes connections to rooms, and lets them join and leave. */
@scoped(Scope.ContainerScoped)
export class Subscriptions {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SessionWatch) private readonly sessions: SessionWatch,
    @inject(UserNotifier) private readonly users: UserNotifier,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
    @inject(RoomSharing) private readonly sharing: RoomSharing,
    @inject(Coverage) private readonly coverage: Coverage,
    @inject(Resumes) private readonly resumes: Resumes,
    @inject(PresenceList) private readonly presences: PresenceList,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(SECURITY) private readonly security: Security,
    @inject(Names) private readonly names: Names,
    @inject(HeldNames) private readonly heldNames: HeldNames,
    @inject(SubscriptionStart) private readonly start: SubscriptionStart,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(ReadRights) private readonly readRights: ReadRights,
  ) {
    const end = (subscription: Subscription, reason?: string) => this.end(subscription, SERVER_NOTIFICATION, reason);
    heldNames.notify(end);
    start.onFailed(end);
    rooms.notifyRefused((members, reason) => {
      const held = [...members].flatMap(({ subscriptions }) => [...subscriptions.values()]);
      for (const each of held) end(each, `the query does not fit the changed mapping: ${reason}`);
    });
  }

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
    this.assertLasting(request);
    const given = this.asked(request, options, 'subscribe');
    const named = options.name === undefined ? undefined : this.names.check(request, options.name);
    const name = { index, collection };
    const begin = (right: DocumentRight | null, mapping: Mapping | undefined) => {
      const asked = { ...given, right };
      const made = this.rooms.subscribe(name, filter, asked, mapping);
      return this.start.run(request, made, { resume: options.resume, named });
    };
    const mappingFor = (right: DocumentRight | null) =>
      this.rooms.tests.mappingFor(name, filter, right, turnKeysOf(request.connection, request.session));
    return andThen(this.readRights.toTest(request, name, filter), (right) =>
      andThen(mappingFor(right), (mapping) => begin(right, mapping)),
    );
  }

  /**
   * Requires the right `realtime.join` on the room's index and collection.
   * @throws realtime.protocol_not_supported, realtime.room_not_found (404), realtime.* (400, 429, 503), 401 or 403
   */
  async join(request: Request, roomId: string, options: SubscribeOptions): Promise<JsonObject> {
    this.assertLasting(request);
    const given = this.asked(request, options, 'join');
    const right = await this.assertReachable(request, roomId, 'join');
    const asked = { ...given, right };
    // The room may have been removed in the meantime.
    const room = this.rooms.find(roomId);
    if (room !== undefined) return this.start.run(request, this.rooms.join(room, asked), options);
    const remote = this.remote.find(roomId);
    if (remote === undefined) throw realtimeErrors.room_not_found({ roomId });
    const client = turnKeysOf(request.connection, request.session);
    const mapping = await this.rooms.tests.mappingFor(remote, remote.filter, right, client);
    const made = this.rooms.subscribe(remote, remote.filter, asked, mapping);
    return this.start.run(request, made, options);
  }

  /**
   * Ends all of the connection's channels in the room.
   * @throws realtime.not_subscribed (404), whether or not the room exists
   */
  unsubscribe(request: Request, roomId: string): MaybePromise<JsonObject> {
    this.assertLasting(request);
    const membership = this.rooms.find(roomId)?.members.get(request.connection.id);
    if (membership === undefined) throw realtimeErrors.not_subscribed({ roomId });
    for (const subscription of [...membership.subscriptions.values()]) {
      this.end(subscription, request.requestId);
    }
    const settled = this.link.settled();
    return settled === undefined ? { roomId } : settled.then(() => ({ roomId }));
  }

  /**
   * Requires the right `realtime.count` on the room's index and collection. @throws realtime.room_not_found (404),
   * 401 or 403
   */
  async count(request: Request, roomId: string): Promise<JsonObject> {
    this.assertLasting(request);
    await this.assertReachable(request, roomId, 'count');
    return { roomId, count: this.countOf(roomId) };
  }

  /**
   * The members of a room that want to be seen. Requires the right `realtime.presence` on the room's index and
   * collection. @throws realtime.room_not_found (404), 401 or 403
   */
  async presence(request: Request, roomId: string, from: number, size: number): Promise<JsonObject> {
    await this.assertReachable(request, roomId, 'presence');
    return this.presences.of(roomId, from, size);
  }

  /** Index → collection → roomId → count, for collections that the user may search. */
  async list(request: Request): Promise<JsonObject> {
    const found = new Map<string, Map<string, Map<string, number>>>();
    const verdicts = new Map<string, (rightId: string) => boolean>();
    for (const { id, index, collection, rightId } of [...this.rooms.all(), ...this.remote.all()]) {
      const key = toCollectionKey({ index, collection });
      const isVisible = verdicts.get(key) ?? (await this.visibleRooms(request, { index, collection }));
      verdicts.set(key, isVisible);
      if (!isVisible(rightId)) continue;
      const collections = found.get(index) ?? new Map<string, Map<string, number>>();
      const counts = collections.get(collection) ?? new Map<string, number>();
      found.set(index, collections.set(collection, counts.set(id, this.countOf(id))));
    }
    // Uses `fromEntries`, so that a name such as `__proto__` is an ordinary key.
    return Object.fromEntries(
      [...found].map(([index, collections]) => [
        index,
        Object.fromEntries([...collections].map(([name, counts]) => [name, Object.fromEntries(counts)])),
      ]),
    );
  }

  /**
   * Ends a subscription; the other members of the room are notified if the connection has left it.
   * @param reason sent to the connection on the channel; absent: no notification
   */
  end(subscription: Subscription, requestId = SERVER_NOTIFICATION, reason?: string): void {
    const { membership, channel } = subscription;
    const { connection, room } = membership;
    const hasLeft = this.rooms.leave(subscription);
    this.heldNames.ended(subscription);
    if (reason !== undefined) this.notifyEnded(subscription, reason);
    this.delivery.leave(subscription);
    channel.dropHeld(connection.id);
    if (!this.rooms.hasRooms(room)) this.coverage.ended(room, connection);
    this.sharing.left(membership, requestId);
    if (hasLeft) {
      const { metadata, presence } = membership;
      this.users.notify(room, { scope: 'out', requestId, metadata, presence, connectionId: connection.id });
    }
  }

  /** Ends all subscriptions of a connection that has closed. */
  endConnection(connection: Connection): void {
    for (const subscription of this.rooms.of(connection.id)) this.end(subscription);
    this.sessions.forget(connection);
  }

  private asked(
    request: Request,
    { channel: options, resume, presence: shown }: SubscribeOptions,
    action: 'subscribe' | 'join',
  ): Omit<SubscriptionAsked, 'right'> {
    const { connection, metadata, session, user } = request;
    const presence = shown === undefined ? null : { userId: user._id, presence: shown, since: this.clock.nowMs() };
    const metadataBytes =
      checkMetadata(metadata) + (shown === undefined ? 0 : estimateJsonBytes(JSON.stringify(shown)));
    if (resume !== undefined) this.resumes.check(resume);
    return { connection, options, metadata, presence, metadataBytes, session, action };
  }

  /**
   * Room ids are derived from filters, so a caller who guesses a filter knows the id: the response must not reveal
   * whether the room exists. So a room that the caller has no right to, or another right to the documents than its
   * members, is treated like one that doesn't exist. Both
   * are authorised without index and collection: 404 for callers with the right everywhere, 401 or 403 for all
   * others.
   * @returns the caller's right to the documents, which is that of the room
   * @throws realtime.room_not_found (404), auth.login_needed (401), security.forbidden (403)
   */
  private async assertReachable(request: Request, roomId: string, action: string): Promise<DocumentRight | null> {
    const room = this.rooms.find(roomId) ?? this.remote.find(roomId);
    const { security } = this;
    if (room !== undefined && (await security.isAllowed(request, targetOf(room, 'realtime', action)))) {
      const right = await this.readRights.of(request, room);
      if (rightIdOf(right) === room.rightId) return right;
    }
    const nowhere = { index: null, collection: null, id: null, body: null };
    await security.authorizeTarget(request, { controller: 'realtime', action, ...nowhere });
    throw realtimeErrors.room_not_found({ roomId });
  }

  private countOf(roomId: string): number {
    return (this.rooms.find(roomId)?.count ?? 0) + this.remote.count(roomId);
  }

  private notifyEnded({ membership, channel }: Subscription, reason: string): void {
    const { connection, room, metadata } = membership;
    const envelope = this.delivery.envelope({
      requestId: SERVER_NOTIFICATION,
      controller: 'realtime',
      action: 'subscriptionEnded',
      index: room.index,
      collection: room.collection,
      metadata,
      state: 'done',
      scope: null,
      result: { roomId: room.id, reason },
    });
    this.delivery.notify(connection, channel.name, ofRoom(envelope, room.id));
  }

  /** @throws realtime.protocol_not_supported (400) for requests over HTTP and of the embedding program */
  private assertLasting({ connection: { protocol }, action }: Request): void {
    if (this.delivery.reaches(protocol)) return;
    throw realtimeErrors.protocol_not_supported({ action, protocol });
  }

  /** Who may see all documents sees the rooms of every right, others those of one right. */
  private async visibleRooms(request: Request, name: CollectionName): Promise<(rightId: string) => boolean> {
    const maySearch = await this.security.isAllowed(request, targetOf(name, 'document', 'search'));
    if (!maySearch) return () => false;
    const own = rightIdOf(await this.readRights.of(request, name));
    return (rightId) => own === '' || own === rightId;
  }
}
