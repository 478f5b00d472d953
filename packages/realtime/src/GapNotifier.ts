/*
 * Notifies subscribers that they may have missed changes (docs/decisions/0011), once per loss: losses within a second
 * count as one.
 */
import { CLOCK, toCollectionKey, type Clock, type CollectionName } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from './Delivery.js';
import { ofRoom, SERVER_NOTIFICATION } from './Notification.js';
import type { Subscription } from './rooms/Membership.js';
import type { Room } from './rooms/Room.js';
import { RoomTable } from './rooms/RoomTable.js';

const EVERY_MS = 1_000;

/** Reason sent when notifications were dropped because the queue was full. */
export const TOO_MANY_CHANGES = 'more changes came than could be delivered';

/** Reason sent when a document wasn't matched against all patterns of the filters. */
export const COSTLY_PATTERNS = 'the patterns of the filters took too many steps on a document';

/** Sends gap notifications: `controller: "realtime"`, `action: "gap"`, `result: {roomId, reason}`. */
@scoped(Scope.ContainerScoped)
export class GapNotifier {
  private readonly toldAtMs = new Map<string, number>();
  private readonly later = new Map<string, () => void>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Notifies all subscribers, if the extent of the loss is unknown. */
  tellAll(reason: string): void {
    if (!this.isDue('', () => this.tellAll(reason))) return;
    for (const room of [...this.rooms.all()]) this.tellRoom(room, reason);
  }

  /** Notifies all subscribers of a collection's rooms. */
  tellCollection({ index, collection }: CollectionName, reason: string): void {
    const key = toCollectionKey({ index, collection });
    if (!this.isDue(key, () => this.tellCollection({ index, collection }, reason))) return;
    for (const room of [...this.rooms.all()]) {
      if (room.index === index && room.collection === collection) this.tellRoom(room, reason);
    }
  }

  /** Notifies one subscriber. */
  tellOne({ membership, channel }: Subscription, reason: string): void {
    const { connection, room } = membership;
    this.delivery.inOrder(() => {
      this.delivery.tell(connection, channel.name, this.envelopeOf(room, reason));
    });
  }

  private tellRoom(room: Room, reason: string): void {
    this.delivery.inOrder(() => {
      if (room.channels.size === 0) return;
      const envelope = this.envelopeOf(room, reason);
      for (const channel of room.channels.values()) this.delivery.publish(channel, envelope);
    });
  }

  /** True at most once a second; a call that comes too early is repeated later. */
  private isDue(key: string, again: () => void): boolean {
    const nowMs = this.clock.monotonicMs();
    const toldAtMs = this.toldAtMs.get(key) ?? -Infinity;
    if (nowMs - toldAtMs < EVERY_MS) {
      this.later.set(key, again);
      this.timer ??= setTimeout(() => this.tellLater(), EVERY_MS).unref();
      return false;
    }
    if (this.toldAtMs.size > 1_000) this.toldAtMs.clear();
    this.toldAtMs.set(key, nowMs);
    return true;
  }

  private tellLater(): void {
    this.timer = undefined;
    const due = [...this.later.values()];
    this.later.clear();
    for (const tell of due) tell();
  }

  private envelopeOf({ id, index, collection }: Room, reason: string): string {
    const envelope = this.delivery.envelope({
      requestId: SERVER_NOTIFICATION,
      controller: 'realtime',
      action: 'gap',
      index,
      collection,
      metadata: {},
      state: 'done',
      scope: null,
      result: { roomId: id, reason },
    });
    return ofRoom(envelope, id);
  }
}
