import {
  realtimeErrors,
  SECURITY,
  toCollectionKey,
  type CollectionName,
  type DocumentRight,
  type JsonObject,
  type Request,
  type Security,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms, type RemoteRoom } from './rooms/RemoteRooms.js';
import { Delivery } from './Delivery.js';
import { ReadRights } from './rights/ReadRights.js';
import { rightIdOf } from './matching/rightIdOf.js';
import { presenceFields, type MemberPresence } from './rooms/MemberPresence.js';
import { RoomTable } from './rooms/RoomTable.js';
import { targetOf } from './targetOf.js';

/** The most members in one result. */
export const MAX_LISTED = 1_000;

/** A room that a caller may use. */
interface ReachedRoom {
  readonly room: RemoteRoom;
  /** The documents that the caller and the members may see; null: all. */
  readonly right: DocumentRight | null;
}

/** The rooms of all nodes, as callers with rights see them. */
@scoped(Scope.ContainerScoped)
export class RoomDirectory {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(SECURITY) private readonly security: Security,
    @inject(ReadRights) private readonly readRights: ReadRights,
  ) {}

  /**
   * Requires the right `realtime.count` on the room's index and collection. @throws realtime.room_not_found (404),
   * 401 or 403
   */
  async count(request: Request, roomId: string): Promise<JsonObject> {
    this.delivery.assertReaches(request);
    await this.reach(request, roomId, 'count');
    return { roomId, count: this.countOf(roomId) };
  }

  /**
   * `count`: all members of a room; `total`: those that want to be seen; `users`: one page of them, earliest first.
   * Requires the right `realtime.presence` on the room's index and collection. @throws realtime.room_not_found (404), 401
   * or 403
   */
  async presence(request: Request, roomId: string, from: number, size: number): Promise<JsonObject> {
    await this.reach(request, roomId, 'presence');
    const own = [...(this.rooms.find(roomId)?.members.values() ?? [])].map((member) => member.presence);
    const all = [...own, ...this.remote.presences(roomId)];
    const seen = all.filter((each): each is MemberPresence => each !== null);
    seen.sort((left, right) => left.since - right.since || compare(left.userId, right.userId));
    const users = seen.slice(from, from + size).map(presenceFields);
    return { roomId, count: all.length, total: seen.length, users };
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
   * Room ids are derived from filters, so a caller who guesses a filter knows the id: the response must not reveal
   * whether the room exists. So a room that the caller has no right to, or another right to the documents than its
   * members, is treated like one that doesn't exist. Both are authorised without index and collection: 404 for callers
   * with the right everywhere, 401 or 403 for all others.
   * @returns the room, and the caller's right to the documents, which is that of the room
   * @throws realtime.room_not_found (404), auth.login_needed (401), security.forbidden (403)
   */
  async reach(request: Request, roomId: string, action: string): Promise<ReachedRoom> {
    const { security } = this;
    const found = this.find(roomId);
    if (found !== undefined && (await security.isAllowed(request, targetOf(found, 'realtime', action)))) {
      const right = await this.readRights.of(request, found);
      // It may have been removed in the meantime.
      const room = this.find(roomId);
      if (room !== undefined && rightIdOf(right) === room.rightId) return { room, right };
    }
    const nowhere = { index: null, collection: null, id: null, body: null };
    await security.authorizeTarget(request, { controller: 'realtime', action, ...nowhere });
    throw realtimeErrors.room_not_found({ roomId });
  }

  private find(roomId: string): RemoteRoom | undefined {
    return this.rooms.find(roomId) ?? this.remote.find(roomId);
  }

  private countOf(roomId: string): number {
    return (this.rooms.find(roomId)?.count ?? 0) + this.remote.count(roomId);
  }

  /** Who may see all documents sees the rooms of every right, others those of one right. */
  private async visibleRooms(request: Request, name: CollectionName): Promise<(rightId: string) => boolean> {
    const maySearch = await this.security.isAllowed(request, targetOf(name, 'document', 'search'));
    if (!maySearch) return () => false;
    const own = rightIdOf(await this.readRights.of(request, name));
    return (rightId) => own === '' || own === rightId;
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
