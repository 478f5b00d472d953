/*
 * Notifies subscribers that they may have missed changes (docs/decisions/0011), once per loss: losses within a second
 * count as one.
 */
import {
  CHANGE_LOG,
  CLOCK,
  isThenable,
  toCollectionKey,
  type ChangeLog,
  type Clock,
  type CollectionName,
  type Cursor,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from './Delivery.js';
import type { Gap } from './Gap.js';
import { ofRoom, SERVER_NOTIFICATION } from './Notification.js';
import type { Subscription } from './rooms/Membership.js';
import type { Room } from './rooms/Room.js';
import { RoomTable } from './rooms/RoomTable.js';

const EVERY_MS = 1_000;

/** Sends gap notifications: `controller: "realtime"`, `action: "gap"`, `result: {roomId, reason, message, cursor}`. */
@scoped(Scope.ContainerScoped)
export class GapNotifier {
  private readonly toldAtMs = new Map<string, number>();
  private readonly later = new Map<string, () => void>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(CHANGE_LOG) private readonly changes: ChangeLog | null,
  ) {}

  /** Notifies all subscribers, if the extent of the loss is unknown. */
  tellAll(gap: Gap): void {
    if (!this.isDue('', () => this.tellAll(gap))) return;
    for (const room of [...this.rooms.all()]) this.tellRoom(room, gap);
  }

  /** Notifies all subscribers of a collection's rooms. */
  tellCollection({ index, collection }: CollectionName, gap: Gap): void {
    const key = toCollectionKey({ index, collection });
    if (!this.isDue(key, () => this.tellCollection({ index, collection }, gap))) return;
    for (const room of [...this.rooms.all()]) {
      if (room.index === index && room.collection === collection) this.tellRoom(room, gap);
    }
  }

  /** Notifies one subscriber. */
  tellOne({ membership, channel }: Subscription, gap: Gap): void {
    const { connection, room } = membership;
    this.atHead((cursor) => {
      this.delivery.tell(connection, channel.name, this.envelopeOf(room, gap, cursor));
    });
  }

  private tellRoom(room: Room, gap: Gap): void {
    this.atHead((cursor) => {
      if (room.channels.size === 0) return;
      const envelope = this.envelopeOf(room, gap, cursor);
      for (const channel of room.channels.values()) this.delivery.publish(channel, envelope);
    });
  }

  /** Sends in order, with the position after which nothing is missing. */
  private atHead(send: (cursor: Cursor | undefined) => void): void {
    const { delivery } = this;
    delivery.inOrder(() => {
      const head = this.changes?.head();
      if (!isThenable(head)) return send(head);
      const sendWith = (cursor?: Cursor) => delivery.inOrder(() => send(cursor));
      void head.then(sendWith, () => sendWith());
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

  private envelopeOf(
    { id, index, collection }: Room,
    { reason, message }: Gap,
    cursor: Cursor | undefined,
  ): string {
    const envelope = this.delivery.envelope({
      requestId: SERVER_NOTIFICATION,
      controller: 'realtime',
      action: 'gap',
      index,
      collection,
      metadata: {},
      state: 'done',
      scope: null,
      result: { roomId: id, reason, message, ...(cursor !== undefined && { cursor }) },
    });
    return ofRoom(envelope, id);
  }
}
