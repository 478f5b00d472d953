import type { JsonObject } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms } from '../cluster/RemoteRooms.js';
import { presenceFields, type MemberPresence } from './MemberPresence.js';
import { RoomTable } from './RoomTable.js';

/** The most members in one result. */
export const MAX_LISTED = 1_000;

/** Lists the members of rooms that want to be seen, on all nodes. */
@scoped(Scope.ContainerScoped)
export class PresenceList {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
  ) {}

  /** `count`: all members; `total`: those that want to be seen; `users`: one page of them, earliest first. */
  of(roomId: string, from: number, size: number): JsonObject {
    const room = this.rooms.find(roomId);
    const own = [...(room?.members.values() ?? [])].map(({ presence }) => presence);
    const all = [...own, ...this.remote.presences(roomId)];
    const seen = all.filter((each): each is MemberPresence => each !== null);
    seen.sort((left, right) => left.since - right.since || compare(left.userId, right.userId));
    const users = seen.slice(from, from + size).map(presenceFields);
    return { roomId, count: all.length, total: seen.length, users };
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
