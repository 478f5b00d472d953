/*
 * Notifies subscribers that they may have missed changes (docs/decisions/0011), once per loss: losses within a second
 * count as one.
 *
 * A client resumes from the last cursor that it has received, so nothing newer than a loss may be sent before its gap
 * (RESUME-21). Until the gap is sent, the notifications of the collection are dropped: the gap stands for them too.
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
import { COSTLY_PATTERNS, gapOf, UNKNOWN_MAPPING, type Gap } from './Gap.js';
import type { RoomTests } from './matching/RoomTests.js';
import { markCursor } from './rights/markCursor.js';
import type { Subscription } from './rooms/Membership.js';
import type { Room } from './rooms/Room.js';
import { RoomTable } from './rooms/RoomTable.js';

const EVERY_MS = 1_000;
/** Key of all collections together. */
const ALL = '';

/** Sends gap notifications: `controller: "realtime"`, `action: "gap"`, `result: {roomId, reason, message, cursor}`. */
@scoped(Scope.ContainerScoped)
export class GapNotifier {
  private readonly notifiedAtMs = new Map<string, number>();
  private readonly later = new Map<string, () => void>();
  private timer: NodeJS.Timeout | undefined;
  /** By collection: a loss for which no gap is in the queue of notifications yet. */
  private readonly lost = new Set<string>();
  /** By collection: the loss has had its turn in the queue, the gap has not. */
  private readonly pending = new Set<string>();

  constructor(
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(CHANGE_LOG) private readonly changes: ChangeLog | null,
  ) {}

  /** Whether subscribers of the collection must receive a gap before anything newer. Call it in the order of delivery. */
  isPending(name: CollectionName): boolean {
    return this.pending.size > 0 && (this.pending.has(ALL) || this.pending.has(toCollectionKey(name)));
  }

  /** Notifies all subscribers, if the extent of the loss is unknown. */
  notifyAll(gap: Gap): void {
    this.notify(ALL, () => this.rooms.all(), gap);
  }

  /** Notifies all subscribers of a collection's rooms of a change that isn't delivered. */
  notifyCollection(name: CollectionName, gap: Gap): void {
    const { index, collection } = name;
    const rooms = () => this.rooms.ofCollection({ index, collection });
    this.notify(toCollectionKey(name), rooms, gap);
  }

  /** Notifies all subscribers of a truncated or deleted collection. At once: later notifications must not be dropped. */
  notifyWiped({ index, collection }: CollectionName): void {
    const key = toCollectionKey({ index, collection });
    this.markLost(key);
    this.send(key, () => this.rooms.ofCollection({ index, collection }), gapOf('wiped'));
  }

  /**
   * Notifies the rooms that the last test may have missed: those with patterns, if not all were searched for, and those
   * with queries, if the mapping is unknown. At once, since both are rare.
   * @param cursor of the change, if it has one
   */
  notifyUncertain(name: CollectionName, tests: RoomTests, cursor: Cursor | undefined): void {
    const isIncomplete = tests.isIncomplete(name);
    const isUnmapped = tests.isUncertain(name);
    if (!isIncomplete && !isUnmapped) return;
    const send = (at: Cursor | undefined) => {
      for (const room of this.rooms.ofCollection(name)) {
        if (isIncomplete && room.hasPatterns) this.notifyRoom(room, COSTLY_PATTERNS, at);
        if (isUnmapped && room.needsMapping) this.notifyRoom(room, UNKNOWN_MAPPING, at);
      }
    };
    if (cursor === undefined) this.atHead(send);
    else send(cursor);
  }

  /** Notifies one subscriber. @param sent called before anything else is sent */
  notifyOne({ membership, channel }: Subscription, gap: Gap, sent?: () => void): void {
    const { connection, room } = membership;
    if (channel.watcher !== undefined) return channel.watcher.changed();
    this.atHead((cursor) => {
      this.delivery.notify(connection, channel.name, this.envelopeOf(room, gap, cursor));
      sent?.();
    });
  }

  /** As `notifyOne`, but after what a subscription that resumes has missed. */
  notifyInTurn(subscription: Subscription, gap: Gap, sent: () => void): void {
    const { membership, channel } = subscription;
    const held = channel.held.get(membership.connection.id);
    if (held === undefined) return this.notifyOne(subscription, gap, sent);
    this.atHead((cursor) => held.take(this.envelopeOf(membership.room, gap, cursor), undefined));
  }

  /** At most once a second for a key; a gap that comes too early is sent later. */
  private notify(key: string, rooms: () => Iterable<Room>, gap: Gap): void {
    this.markLost(key);
    const send = () => this.send(key, rooms, gap);
    const sinceMs = this.clock.monotonicMs() - (this.notifiedAtMs.get(key) ?? -Infinity);
    if (sinceMs >= EVERY_MS) return send();
    this.later.set(key, send);
    this.timer ??= setTimeout(() => this.sendLater(), EVERY_MS).unref();
  }

  private sendLater(): void {
    this.timer = undefined;
    for (const send of [...this.later.values()]) send();
  }

  /** Only with a change log: without one, clients don't resume. */
  private markLost(key: string): void {
    if (this.changes === null || this.lost.has(key)) return;
    this.lost.add(key);
    this.delivery.inOrder(() => void this.pending.add(key));
  }

  private send(key: string, rooms: () => Iterable<Room>, gap: Gap): void {
    this.later.delete(key);
    if (this.notifiedAtMs.size > 1_000) this.notifiedAtMs.clear();
    this.notifiedAtMs.set(key, this.clock.monotonicMs());
    this.atHead((cursor) => {
      // A loss from now on has another gap.
      this.lost.delete(key);
      const { delivery } = this;
      for (const room of rooms()) delivery.inOrder(() => this.notifyRoom(room, gap, cursor));
      delivery.inOrder(() => void this.pending.delete(key));
    });
  }

  private notifyRoom(room: Room, gap: Gap, cursor: Cursor | undefined): void {
    if (room.channels.size === 0) return;
    const envelope = this.envelopeOf(room, gap, cursor);
    for (const channel of room.channels.values()) {
      if (channel.watcher === undefined) this.delivery.publish(channel, envelope);
      else channel.watcher.changed();
    }
  }

  /** In order, with a position after which nothing is missing. */
  private atHead(work: (cursor: Cursor | undefined) => void): void {
    const { delivery } = this;
    delivery.inOrder(() => {
      const head = this.changes?.head();
      if (!isThenable(head)) return work(head);
      const workWith = (cursor?: Cursor) => delivery.inOrder(() => work(cursor));
      void head.then(workWith, () => workWith());
    });
  }

  private envelopeOf(room: Room, { reason, message }: Gap, position: Cursor | undefined): string {
    const cursor = position && markCursor(position, room.rightId);
    return this.delivery.roomEnvelope(room, 'gap', { reason, message, ...(cursor !== undefined && { cursor }) });
  }
}
