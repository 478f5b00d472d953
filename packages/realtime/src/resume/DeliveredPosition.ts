import type { Connection, Cursor, SentCursors } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { GapNotifier } from '../GapNotifier.js';
import { markCursor } from '../rights/markCursor.js';
import type { Subscription } from '../rooms/Membership.js';
import { RoomTable } from '../rooms/RoomTable.js';

/**
 * The position of the last change that was delivered. Changes are delivered in the order of their positions, so all
 * earlier ones have been.
 */
@scoped(Scope.ContainerScoped)
export class DeliveredPosition implements SentCursors {
  private last: Cursor | undefined;

  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(Delivery) private readonly delivery: Delivery,
  ) {}

  /** A change has been sent to all its recipients. Some may receive a gap in its place. */
  delivered(cursor: Cursor | undefined): void {
    if (cursor !== undefined) this.last = cursor;
  }

  countOf(connection: Connection): number {
    return this.delivery.sentCount(connection, this.rooms.of(connection.id));
  }

  of(connectionId: string): Cursor | undefined {
    const subscriptions = this.rooms.of(connectionId);
    if (subscriptions.length === 0) return undefined;
    const { last } = this;
    // Changes of collections without subscriptions are recorded but not delivered: a subscription may begin later.
    const isReached = ({ channel, since }: Subscription) =>
      last !== undefined &&
      since !== undefined &&
      since <= last &&
      !channel.isHeld(connectionId) &&
      !this.gaps.isPending(channel.room);
    if (last === undefined || !subscriptions.every(isReached)) return undefined;
    // One cursor can't tell the rights of several (`markCursor`). Followed searches don't take it.
    const rights = new Set<string>();
    for (const { channel } of subscriptions) if (channel.watcher === undefined) rights.add(channel.room.rightId);
    const [rightId = ''] = rights;
    return rights.size > 1 ? undefined : markCursor(last, rightId);
  }
}
