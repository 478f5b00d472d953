/*
 * Shares room membership between nodes. Each member is announced by name when it joins or leaves, so that receivers
 * can notify their subscribers, and can do so for each member when a node dies. A node that has just started or has
 * lost messages requests the full list of each node, which is sent in parts; members missing from it are removed.
 */
import {
  LOGGER,
  NODE_LINK,
  SERVER_NOTIFICATION,
  type Lifecycle,
  type Logger,
  type NodeLink,
  type SyncOutcome,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Membership, Subscription } from '../rooms/Membership.js';
import type { Room } from '../rooms/Room.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { UserNotifier } from '../UserNotifier.js';
import { readHeld, readMember, type HeldRoom, type MemberNews } from './readNews.js';
import { RemoteRooms } from '../rooms/RemoteRooms.js';

const MEMBER = 'realtime.member';
const HELD = 'realtime.held';
const PIECE_LENGTH = 2 ** 18;
const FIRST = 'first';
const MORE = 'more';
const LAST = 'last';

/** Announces local rooms to other nodes, and receives theirs. */
@scoped(Scope.ContainerScoped)
export class RoomSharing implements Lifecycle {
  /** By node whose list is being received: `room member` of the entries received so far. */
  private readonly listed = new Map<string, Set<string>>();

  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
    @inject(UserNotifier) private readonly users: UserNotifier,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Call before the link starts. */
  async start(): Promise<void> {
    const { link } = this;
    if (!link.isClustered) return;
    link.receive(MEMBER, (key, body, from) => this.takeMember(readMember(key, body), from));
    link.receive(HELD, (key, body, from) => this.takeHeld(key, readHeld(body), from));
    link.observe({ wanted: () => this.notifyAll(), left: (nodeId) => this.removeNode(nodeId) });
  }

  async stop(): Promise<void> {}

  /**
   * Announces that a connection has joined a channel. @returns resolves when delivery may start; undefined: at once
   */
  joined({ membership }: Subscription, requestId: string): Promise<SyncOutcome> | undefined {
    if (!this.link.isClustered) return undefined;
    const { room } = membership;
    // The filter is sent with the first member.
    const isFirst = room.count === 1 && membership.subscriptions.size === 1;
    this.notifyMember(membership, { isThere: true, requestId, withFilter: isFirst });
    return this.link.synced();
  }

  /** Whether other nodes can notify this one. */
  isInTouch(): boolean {
    return this.link.isCurrent();
  }

  /** Resolves once the other nodes know what was announced; undefined: at once. */
  settled(): Promise<SyncOutcome> | undefined {
    return this.link.settled();
  }

  /** Announces that a connection has left a channel, and possibly the room. */
  left(membership: Membership, requestId: string): void {
    if (!this.link.isClustered) return;
    const isThere = membership.room.members.get(membership.connection.id) === membership;
    this.notifyMember(membership, { isThere, requestId, withFilter: false });
  }

  private notifyMember(
    { room, connection, metadata, presence }: Membership,
    how: { readonly isThere: boolean; readonly requestId: string; readonly withFilter: boolean },
  ): void {
    const { id, index, collection, rightId } = room;
    const filter = how.withFilter ? room.filter : null;
    const wantsPending = wantsPendingIn(room);
    const member = { id: connection.id, metadata, presence };
    const { isThere, requestId } = how;
    const news = { index, collection, filter, rightId, wantsPending, member, isThere, requestId };
    this.link.announce(MEMBER, id, JSON.stringify(news));
  }

  /** Sends the full list, in parts. */
  private notifyAll(): void {
    // Each entry is encoded once; the encoded size is what limits a part.
    let piece: string[] = [];
    let length = 0;
    let key = FIRST;
    const send = (as: string) => {
      this.link.send(HELD, as, `{"rooms":[${piece.join(',')}]}`);
      piece = [];
      length = 0;
      key = MORE;
    };
    for (const room of this.rooms.all()) {
      const { id, index, collection, filter, rightId, members } = room;
      const held: HeldRoom = {
        id,
        index,
        collection,
        filter,
        rightId,
        wantsPending: wantsPendingIn(room),
        members: [...members.values()].map(({ connection, metadata, presence }) => ({
          id: connection.id,
          metadata,
          presence,
        })),
      };
      const encoded = JSON.stringify(held);
      piece.push(encoded);
      length += encoded.length;
      if (length > PIECE_LENGTH) send(key);
    }
    if (key === FIRST) send(FIRST);
    send(LAST);
  }

  private takeMember(news: MemberNews, from: string): void {
    const { id, member, isThere, requestId } = news;
    if (isThere) this.listed.get(from)?.add(`${id} ${member.id}`);
    if (!isThere) return this.remove(from, id, member.id, requestId);
    const isNew = this.remote.add(from, news, member);
    // The announcement of the room was lost: the handler of that gap has already requested the list.
    if (isNew === undefined) return this.log.warn({ roomId: id }, 'an unknown room of another node');
    if (isNew) this.notifyUsers(id, 'in', requestId, member);
  } // prettier-ignore

  private takeHeld(key: string, rooms: readonly HeldRoom[], from: string): void {
    if (key === FIRST) this.listed.set(from, new Set());
    const listed = this.listed.get(from);
    // The beginning of this list was lost.
    if (listed === undefined) return;
    for (const room of rooms) {
      for (const member of room.members) {
        listed.add(`${room.id} ${member.id}`);
        if (this.remote.add(from, room, member) !== true) continue;
        this.notifyUsers(room.id, 'in', SERVER_NOTIFICATION, member);
      }
    }
    if (key !== LAST) return;
    this.listed.delete(from);
    for (const { roomId, memberIds } of [...this.remote.of(from)]) {
      for (const memberId of memberIds) {
        if (!listed.has(`${roomId} ${memberId}`)) this.remove(from, roomId, memberId);
      }
    }
  }

  private removeNode(nodeId: string): void {
    this.listed.delete(nodeId);
    for (const { roomId, memberIds } of [...this.remote.of(nodeId)]) {
      for (const memberId of memberIds) this.remove(nodeId, roomId, memberId);
    }
  }

  private remove(nodeId: string, roomId: string, memberId: string, requestId = SERVER_NOTIFICATION): void {
    const member = this.remote.remove(nodeId, roomId, memberId);
    if (member !== undefined) this.notifyUsers(roomId, 'out', requestId, member);
  }

  private notifyUsers(
    roomId: string,
    scope: 'in' | 'out',
    requestId: string,
    { metadata, presence }: Pick<Membership, 'metadata' | 'presence'>,
  ): void {
    const room = this.rooms.find(roomId);
    if (room !== undefined) this.users.notify(room, { scope, requestId, metadata, presence });
  }
}

function wantsPendingIn({ channels }: Room): boolean {
  for (const { wantsPending } of channels.values()) if (wantsPending) return true;
  return false;
}
