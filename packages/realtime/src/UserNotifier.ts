import { ofRoom, type JsonObject, type NotificationFields } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms } from './rooms/RemoteRooms.js';
import { Delivery } from './Delivery.js';
import { presenceFields, type MemberPresence } from './rooms/MemberPresence.js';
import type { Room } from './rooms/Room.js';

/** A connection that joined or left a room. */
export interface UserMove {
  readonly scope: 'in' | 'out';
  readonly requestId: string;
  /** From the request that brought the connection into the room. */
  readonly metadata: JsonObject;
  /** From the same request. */
  readonly presence: MemberPresence | null;
  /** The moving connection, which isn't notified; absent if it is on another node. */
  readonly connectionId?: string;
}

/** Notifies the members of a room when users join or leave (PROTO-84). */
@scoped(Scope.ContainerScoped)
export class UserNotifier {
  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
  ) {}

  /** The number of members of a room, on all nodes. */
  countOf(room: Room): number {
    return room.count + this.remote.count(room.id);
  }

  notify(room: Room, { scope, requestId, metadata, presence, connectionId }: UserMove): void {
    const { id: roomId, index, collection } = room;
    const count = this.countOf(room);
    this.delivery.inOrder(() => {
      const channels = [...room.channels.values()].filter((channel) => channel.receivesUsers(scope));
      if (channels.length === 0) return;
      const notification: NotificationFields = {
        requestId,
        controller: 'realtime',
        action: scope === 'in' ? 'subscribe' : 'unsubscribe',
        index,
        collection,
        metadata,
        state: 'done',
        scope,
        user: scope,
        result: { roomId, count, ...presenceFields(presence) },
      };
      const envelope = ofRoom(this.delivery.envelope(notification), roomId);
      for (const channel of channels) this.delivery.publish(channel, envelope, { except: connectionId });
    });
  }
}
