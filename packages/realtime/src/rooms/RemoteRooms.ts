import { Lifecycle as Scope, scoped } from 'tsyringe';
import { estimateJsonBytes, type CollectionName, type JsonObject } from '@millrace/kernel';
import type { MemberPresence } from './MemberPresence.js';

/** Information that one node sends about one of its rooms. */
export interface RoomNews extends CollectionName {
  readonly id: string;
  /** Absent if it was sent before. */
  readonly filter: JsonObject | null;
  /** See `rightIdOf`. */
  readonly rightId: string;
  /** Whether subscribers on that node want pending notifications. */
  readonly wantsPending: boolean;
}

/** A room of other nodes. */
export interface RemoteRoom extends CollectionName {
  readonly id: string;
  readonly filter: JsonObject;
  /** See `rightIdOf`. */
  readonly rightId: string;
}

/** A member of a room on another node. */
export interface RemoteMember {
  readonly id: string;
  readonly metadata: JsonObject;
  readonly presence: MemberPresence | null;
}

interface KeptMember extends Omit<RemoteMember, 'id'> {
  readonly bytes: number;
}

interface NodeRoom {
  /** By connection. */
  readonly members: Map<string, KeptMember>;
  wantsPending: boolean;
}

interface Entry extends RemoteRoom {
  readonly bytes: number;
  readonly byNode: Map<string, NodeRoom>;
}

interface CollectionRooms {
  roomCount: number;
  /** The number of nodes in these rooms that want pending notifications; every write checks whether it is zero. */
  pendingCount: number;
}

/** Objects, maps and names in addition to filter and metadata. */
const BYTES_PER_ROOM = 800;
const BYTES_PER_MEMBER = 300;

/** Rooms of other nodes, and their members. */
@scoped(Scope.ContainerScoped)
export class RemoteRooms {
  private total = 0;
  private readonly rooms = new Map<string, Entry>();
  private readonly byIndex = new Map<string, Map<string, CollectionRooms>>();

  /** Estimated memory of the rooms, in bytes. */
  get bytes(): number {
    return this.total;
  }

  hasRooms({ index, collection }: CollectionName): boolean {
    return this.byIndex.size > 0 && this.byIndex.get(index)?.has(collection) === true;
  }

  hasPending({ index, collection }: CollectionName): boolean {
    return (this.byIndex.get(index)?.get(collection)?.pendingCount ?? 0) > 0;
  }

  collectionsIn(index: string): readonly string[] {
    return [...(this.byIndex.get(index)?.keys() ?? [])];
  }

  find(roomId: string): RemoteRoom | undefined {
    return this.rooms.get(roomId);
  }

  all(): Iterable<RemoteRoom> {
    return this.rooms.values();
  }

  count(roomId: string): number {
    let count = 0;
    for (const { members } of this.rooms.get(roomId)?.byNode.values() ?? []) count += members.size;
    return count;
  }

  /** The presence of each member of a room. */
  *presences(roomId: string): Iterable<MemberPresence | null> {
    for (const { members } of this.rooms.get(roomId)?.byNode.values() ?? []) {
      for (const { presence } of members.values()) yield presence;
    }
  }

  /** Members of one node by room. */
  *of(nodeId: string): Iterable<{ readonly roomId: string; readonly memberIds: readonly string[] }> {
    for (const { id, byNode } of this.rooms.values()) {
      const own = byNode.get(nodeId);
      if (own !== undefined) yield { roomId: id, memberIds: [...own.members.keys()] };
    }
  } // prettier-ignore

  /** @returns whether the member is new; undefined if the room is unknown and its filter wasn't sent */
  add(nodeId: string, news: RoomNews, member: RemoteMember): boolean | undefined {
    const entry = this.rooms.get(news.id) ?? this.addRoom(news);
    if (entry === undefined) return undefined;
    const own: NodeRoom = entry.byNode.get(nodeId) ?? { members: new Map(), wantsPending: false };
    entry.byNode.set(nodeId, own);
    this.setPending(entry, own, news.wantsPending);
    const former = own.members.get(member.id);
    const { metadata, presence } = member;
    const bytes = BYTES_PER_MEMBER + bytesOf(metadata) + (presence === null ? 0 : bytesOf(presence.presence));
    own.members.set(member.id, { metadata, presence, bytes });
    this.total += bytes - (former?.bytes ?? 0);
    return former === undefined;
  }

  /** @returns the member; undefined if it wasn't in the room */
  remove(nodeId: string, roomId: string, memberId: string): Omit<RemoteMember, 'id'> | undefined {
    const entry = this.rooms.get(roomId);
    const own = entry?.byNode.get(nodeId);
    const member = own?.members.get(memberId);
    if (entry === undefined || own === undefined || member === undefined) return undefined;
    own.members.delete(memberId);
    this.total -= member.bytes;
    if (own.members.size === 0) {
      this.setPending(entry, own, false);
      entry.byNode.delete(nodeId);
    }
    if (entry.byNode.size === 0) this.dropRoom(entry);
    return member;
  }

  private addRoom({ id, index, collection, filter, rightId }: RoomNews): Entry | undefined {
    if (filter === null) return undefined;
    const bytes = BYTES_PER_ROOM + bytesOf(filter);
    const entry: Entry = { id, index, collection, filter, rightId, byNode: new Map(), bytes };
    this.rooms.set(id, entry);
    this.total += bytes;
    const collections = this.byIndex.get(index) ?? new Map<string, CollectionRooms>();
    this.byIndex.set(index, collections);
    const own = collections.get(collection) ?? { roomCount: 0, pendingCount: 0 };
    collections.set(collection, own);
    own.roomCount++;
    return entry;
  }

  private setPending({ index, collection }: Entry, own: NodeRoom, wantsPending: boolean): void {
    const rooms = this.byIndex.get(index)?.get(collection);
    if (rooms === undefined || own.wantsPending === wantsPending) return;
    rooms.pendingCount += wantsPending ? 1 : -1;
    own.wantsPending = wantsPending;
  }

  private dropRoom({ id, index, collection, bytes }: Entry): void {
    this.rooms.delete(id);
    this.total -= bytes;
    const collections = this.byIndex.get(index);
    const own = collections?.get(collection);
    if (own !== undefined && --own.roomCount === 0) collections?.delete(collection);
    if (collections?.size === 0) this.byIndex.delete(index);
  }
}

function bytesOf(value: JsonObject): number {
  return estimateJsonBytes(JSON.stringify(value));
}
