import type { Registration } from '@millrace/filters';
import {
  coreErrors,
  realtimeErrors,
  type CollectionName,
  type Connection,
  type DocumentRight,
  type JsonObject,
  type Session,
} from '@millrace/kernel';
import type { Mapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import type { RegisterAsked, RoomTests } from '../matching/RoomTests.js';
import { RoomTesting } from '../matching/RoomTesting.js';
import { SubscriptionBudget } from './SubscriptionBudget.js';
import { Channel } from './Channel.js';
import { channelName, type ChannelOptions } from './ChannelOptions.js';
import type { Membership, Subscription } from './Membership.js';
import type { MemberPresence } from './MemberPresence.js';
import { Room } from './Room.js';

/** Objects, maps and names in addition to filter and metadata, measured (Node 20). */
const BYTES_PER_ROOM = 1_200;
const BYTES_PER_MEMBER = 600;
const BYTES_PER_SUBSCRIPTION = 1_000;

/** A requested subscription. */
export interface SubscriptionAsked {
  readonly connection: Connection;
  readonly options: ChannelOptions;
  /** The documents that the user may see; null: all. Not used to join a room. */
  readonly right: DocumentRight | null;
  readonly metadata: JsonObject;
  readonly presence: MemberPresence | null;
  /** Estimated memory of metadata and presence. */
  readonly metadataBytes: number;
  readonly session: Session | null;
  readonly action: 'subscribe' | 'join' | 'follow';
}

/** A new or existing subscription; `isNewMember` if the connection wasn't in the room before. */
export interface SubscriptionMade {
  readonly subscription: Subscription;
  readonly isNew: boolean;
  readonly isNewMember: boolean;
}

interface CollectionRooms {
  readonly rooms: Map<string, Room>;
  /** Number of channels that want pending notifications. */
  pendingCount: number;
  /** Number of channels of followed searches. */
  followedCount: number;
}

type OnRefused = (members: Iterable<Membership>, reason: string) => void;

/**
 * Rooms, their channels and connections, and the filters and queries that match documents to rooms. Independent of
 * rights, tokens and messages.
 */
@scoped(Scope.ContainerScoped)
export class RoomTable {
  private readonly rooms = new Map<string, Room>();
  private readonly byIndex = new Map<string, Map<string, CollectionRooms>>();
  private readonly byConnection = new Map<string, Map<string, Subscription>>();
  /** Finds the rooms of documents and messages, by id. */
  readonly tests: RoomTests;
  private onRefused: OnRefused = () => undefined;

  constructor(
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
    @inject(SubscriptionBudget) private readonly budget: SubscriptionBudget,
    @inject(RoomTesting) private readonly testing: RoomTesting,
  ) {
    this.tests = testing.open({
      refused: (roomId, reason) => {
        const room = this.rooms.get(roomId);
        if (room !== undefined) this.onRefused(room.members.values(), reason);
      },
      resized: (roomId, addedBytes) => this.resize(roomId, addedBytes),
    });
  }

  /** Sets the callback for members whose query a changed mapping refuses: their subscriptions must end. */
  notifyRefused(onRefused: OnRefused): void {
    this.onRefused = onRefused;
  }

  /** @throws realtime.room_not_found (404) */
  get(roomId: string): Room {
    const room = this.rooms.get(roomId);
    if (room === undefined) throw realtimeErrors.room_not_found({ roomId });
    return room;
  }

  /** The rooms of a collection, in no particular order. */
  ofCollection({ index, collection }: CollectionName): Iterable<Room> {
    return this.byIndex.get(index)?.get(collection)?.rooms.values() ?? [];
  }

  /** All rooms, in no particular order. */
  all(): Iterable<Room> {
    return this.rooms.values();
  }

  /** Names of the collections of an index that have rooms. */
  collectionsIn(index: string): readonly string[] {
    return [...(this.byIndex.get(index)?.keys() ?? [])];
  }

  hasRooms({ index, collection }: CollectionName): boolean {
    return this.byIndex.size > 0 && this.byIndex.get(index)?.has(collection) === true;
  }

  hasPending({ index, collection }: CollectionName): boolean {
    return (this.byIndex.get(index)?.get(collection)?.pendingCount ?? 0) > 0;
  }

  hasFollowed({ index, collection }: CollectionName): boolean {
    return (this.byIndex.get(index)?.get(collection)?.followedCount ?? 0) > 0;
  }

  /** The room of an id that `tests` has found. */
  find(roomId: string): Room | undefined {
    return this.rooms.get(roomId);
  }

  /**
   * Adds a connection to the room of a filter or query, creating the room if it doesn't exist.
   * @param filter a filter, or `{query: Q}` with the mapping from `tests.mappingFor`
   * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400),
   *   realtime.too_many_channels, realtime.too_many_bytes (429), realtime.subscriptions_full (503)
   */
  subscribe(
    name: CollectionName,
    filter: JsonObject,
    asked: SubscriptionAsked,
    mapping: Mapping | undefined,
  ): SubscriptionMade {
    const { right } = asked;
    const registration = this.tests.register(name, { filter, right, mapping });
    const { id, created } = registration;
    const room = created ? this.addRoom(registration, name, filter, right) : this.get(id);
    try {
      return this.join(room, asked);
    } catch (error) {
      this.dropIfEmpty(room);
      throw error;
    }
  }

  /**
   * The room of a filter or query, without adding it to the table.
   * @throws realtime.invalid_filter, realtime.filter_too_complex, query.invalid, query.forbidden (400)
   */
  draft(name: CollectionName, asked: RegisterAsked): Room {
    const { id, bytes = 0, hasPatterns = false } = this.testing.open().register(name, asked);
    const { filter, right } = asked;
    const filterBytes = BYTES_PER_ROOM + bytes;
    return new Room(id, name.index, name.collection, filter, filterBytes, hasPatterns, right);
  }

  /**
   * @throws realtime.too_many_channels, realtime.too_many_bytes (429), realtime.subscriptions_full (503),
   *   core.client_gone (499)
   */
  join(room: Room, asked: SubscriptionAsked): SubscriptionMade {
    const { connection, options, metadata, presence, metadataBytes, session, action } = asked;
    // Its subscriptions have been ended: nothing would end this one.
    if (connection.lifetime?.isClosed === true) throw coreErrors.client_gone({});
    const held = this.byConnection.get(connection.id);
    const name = channelName(room.id, options);
    const found = held?.get(name);
    if (found !== undefined) {
      found.session = session;
      return { subscription: found, isNew: false, isNewMember: false };
    }
    const limit = this.config.maxChannelsPerConnection;
    if ((held?.size ?? 0) >= limit) throw realtimeErrors.too_many_channels({ limit });
    const former = room.members.get(connection.id);
    const memberBytes = former === undefined ? BYTES_PER_MEMBER + metadataBytes : 0;
    const ownBytes = BYTES_PER_SUBSCRIPTION + memberBytes;
    const charge = { roomId: room.id, filterBytes: room.filterBytes, ownBytes };
    this.budget.add(connection, charge);
    const channel = room.channels.get(name) ?? this.addChannel(room, name, options);
    const membership: Membership = former ?? {
      connection,
      room,
      metadata,
      presence,
      subscriptions: new Map(),
    };
    const subscription: Subscription = { membership, channel, session, action, charge };
    membership.subscriptions.set(name, subscription);
    room.members.set(connection.id, membership);
    channel.add(connection.protocol);
    if (held === undefined) this.byConnection.set(connection.id, new Map([[name, subscription]]));
    else held.set(name, subscription);
    return { subscription, isNew: true, isNewMember: former === undefined };
  }

  /** Ends a subscription. @returns true if the connection is no longer in the room */
  leave({ membership, channel, charge }: Subscription): boolean {
    const { connection, room, subscriptions } = membership;
    if (!subscriptions.delete(channel.name)) return false;
    this.budget.remove(connection, charge);
    const held = this.byConnection.get(connection.id);
    held?.delete(channel.name);
    if (held?.size === 0) this.byConnection.delete(connection.id);
    channel.remove(connection.protocol);
    if (channel.isEmpty) this.dropChannel(channel);
    if (subscriptions.size > 0) return false;
    room.members.delete(connection.id);
    this.dropIfEmpty(room);
    return true;
  }

  /** A snapshot of a connection's subscriptions. */
  of(connectionId: string): readonly Subscription[] {
    return [...(this.byConnection.get(connectionId)?.values() ?? [])];
  }

  /** A snapshot of all subscriptions. */
  subscriptions(): readonly Subscription[] {
    return [...this.byConnection.values()].flatMap((held) => [...held.values()]);
  }

  /** Whether the subscription still exists. */
  holds({ membership, channel }: Subscription): boolean {
    const { connection, room } = membership;
    const isMember = room.members.get(connection.id) === membership;
    return isMember && membership.subscriptions.get(channel.name)?.channel === channel;
  }

  /** The query of a room takes more memory under a changed mapping, or less. */
  private resize(roomId: string, addedBytes: number): void {
    const room = this.rooms.get(roomId);
    if (room === undefined) return;
    room.filterBytes += addedBytes;
    const members = [...room.members.values()];
    for (const { connection } of members) this.budget.resize(connection, room);
    for (const member of members) {
      const excess = this.budget.excessOf(member.connection);
      if (excess !== undefined) this.onRefused([member], excess.message);
    }
  }

  private addRoom(
    { id, bytes = 0, hasPatterns = false }: Registration,
    { index, collection }: CollectionName,
    filter: JsonObject,
    right: DocumentRight | null,
  ): Room {
    const filterBytes = BYTES_PER_ROOM + bytes;
    const room = new Room(id, index, collection, filter, filterBytes, hasPatterns, right);
    this.rooms.set(id, room);
    const collections = this.byIndex.get(index) ?? new Map<string, CollectionRooms>();
    this.byIndex.set(index, collections);
    const own = collections.get(collection) ?? {
      rooms: new Map(),
      pendingCount: 0,
      followedCount: 0,
    };
    collections.set(collection, own);
    own.rooms.set(id, room);
    return room;
  }

  private addChannel(room: Room, name: string, options: ChannelOptions): Channel {
    const channel = new Channel(name, room, options);
    room.channels.set(name, channel);
    this.countKind(channel, 1);
    return channel;
  }

  private dropChannel(channel: Channel): void {
    channel.room.channels.delete(channel.name);
    channel.watcher?.close();
    this.countKind(channel, -1);
  }

  private countKind({ wantsPending, options, room }: Channel, change: number): void {
    const own = this.byIndex.get(room.index)?.get(room.collection);
    if (own === undefined) return;
    if (wantsPending) own.pendingCount += change;
    if (options.followed !== undefined) own.followedCount += change;
  }

  private dropIfEmpty({ id, index, collection, members }: Room): void {
    if (members.size > 0 || !this.rooms.delete(id)) return;
    this.tests.remove({ index, collection }, id);
    const collections = this.byIndex.get(index);
    const own = collections?.get(collection);
    own?.rooms.delete(id);
    if (own?.rooms.size === 0) collections?.delete(collection);
    if (collections?.size === 0) this.byIndex.delete(index);
  }
}
