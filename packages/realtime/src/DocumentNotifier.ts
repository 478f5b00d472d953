import {
  isTraced,
  NOTIFY_CHANNEL,
  ofRoom,
  type CollectionName,
  type Cursor,
  type DocumentChange,
  type DocumentListeners,
  type JsonObject,
  type NotificationFields,
  type PendingChange,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ChangeSharing } from './cluster/ChangeSharing.js';
import { RemoteRooms } from './rooms/RemoteRooms.js';
import { Delivery } from './Delivery.js';
import { TOO_MANY_CHANGES } from './Gap.js';
import { GapNotifier } from './GapNotifier.js';
import { DeliveredPosition } from './resume/DeliveredPosition.js';
import { markCursor } from './rights/markCursor.js';
import type { Room } from './rooms/Room.js';
import { RoomTable } from './rooms/RoomTable.js';
import { WatchedChange, type RoomEffect } from './matching/WatchedChange.js';
import { toNotification, type VisibleChange } from './toNotification.js';

/** A committed change as sent to a room. */
interface Committed {
  readonly cursor?: Cursor | undefined;
  readonly watched?: () => WatchedChange | undefined;
  readonly effect?: RoomEffect;
  readonly isSilent?: true | undefined;
}

/**
 * Notifies rooms of document changes by effect, not by action (PROTO-81): a document that matches after a write has
 * entered the room or changed inside it, one that matched before and no longer does has left it.
 */
@scoped(Scope.ContainerScoped)
export class DocumentNotifier implements DocumentListeners {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
    @inject(ChangeSharing) private readonly sharing: ChangeSharing,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(DeliveredPosition) private readonly position: DeliveredPosition,
  ) {}

  namesIn(index: string): readonly string[] {
    const own = this.rooms.collectionsIn(index);
    const others = this.remote.collectionsIn(index);
    return others.length === 0 ? own : [...new Set([...own, ...others])];
  }

  isListening(name: CollectionName): boolean {
    return this.rooms.hasRooms(name) || this.remote.hasRooms(name);
  }

  isListeningForPending(name: CollectionName): boolean {
    return this.rooms.hasPending(name) || this.remote.hasPending(name);
  }

  needsSilent(name: CollectionName): boolean {
    return this.rooms.hasFollowed(name);
  }

  pending(change: PendingChange): void {
    const atMs = this.sharing.pending(change);
    this.deliverPending(change, atMs);
  }

  committed(change: DocumentChange): void {
    const atMs = change.isSilent ? undefined : this.sharing.committed(change);
    this.deliver(change, atMs);
  }

  wiped(name: CollectionName, isSilent?: true): void {
    if (isSilent) return this.delivery.inOrder(() => searchAgain(this.rooms.ofCollection(name)));
    this.sharing.wiped(name);
    if (this.rooms.hasRooms(name)) this.gaps.notifyWiped(name);
  }

  confirmed(): Promise<void> | undefined {
    return this.sharing.confirmed();
  }

  /** Delivers to the subscribers of this node. @param atMs time of the change, if other nodes deliver it too */
  deliver(change: DocumentChange, atMs?: number): void {
    if (!this.rooms.hasRooms(change)) return;
    if (this.delivery.isFull) return this.gaps.notifyCollection(change, TOO_MANY_CHANGES);
    this.whenPrepared(change, change.before, change.after, () => {
      if (!this.gaps.isPending(change)) this.notifyCommitted(change, atMs);
      this.position.delivered(change.reached);
    });
  }

  /** As `deliver`, for a change that the change log passes on: in the order of positions. */
  deliverRecorded(change: DocumentChange, atMs: number): void {
    if (this.delivery.isFull) return this.gaps.notifyCollection(change, TOO_MANY_CHANGES);
    this.whenPrepared(change, change.before, change.after, () => {
      if (!this.gaps.isPending(change)) this.notifyCommitted(change, atMs);
      this.position.delivered(change.cursor);
    });
  }

  /** Delivers to the subscribers of this node. @param atMs see `deliver` */
  deliverPending(change: PendingChange, atMs?: number): void {
    if (this.delivery.isFull) return this.gaps.notifyCollection(change, TOO_MANY_CHANGES);
    this.whenPrepared(change, null, change.source, () => this.notifyPending(change, atMs));
  }

  mappingChanged(index?: string): void {
    this.rooms.tests.mappingChanged(index);
    // Stored documents may have other values from now on.
    const rooms = [...this.rooms.all()].filter((room) => index === undefined || room.index === index);
    searchAgain(rooms);
  }

  /** In order, once the queries know the mapping that the change was written under. */
  private whenPrepared(
    name: CollectionName,
    before: JsonObject | null,
    after: JsonObject | null,
    notify: () => void,
  ): void {
    this.delivery.inOrder(() => {
      const ready = this.rooms.tests.prepare(name, after);
      return ready === undefined ? notify() : ready.then(notify);
    }, [before, after]);
  }

  private notifyPending(change: PendingChange, atMs: number | undefined): void {
    const { index, collection, id, kind, source, meta, origin } = change;
    const name = { index, collection };
    if (!this.rooms.hasPending(name)) return;
    const { tests } = this.rooms;
    const matching = tests.test(name, { id, source, meta });
    this.gaps.notifyUncertain(name, tests, undefined);
    if (matching.length === 0) return;
    const notification: NotificationFields = {
      requestId: origin.requestId,
      controller: 'document',
      action: kind,
      ...name,
      metadata: {},
      state: 'pending',
      scope: null,
      result: {},
    };
    const envelope = this.delivery.envelope(notification, atMs);
    for (const roomId of matching) this.send(roomId, null, () => envelope);
  }

  private notifyCommitted(change: DocumentChange, atMs: number | undefined): void {
    if (!this.rooms.hasRooms(change)) return;
    if (!isTraced(NOTIFY_CHANNEL)) {
      this.notifyMatching(change, atMs);
      return;
    }
    const { index, collection, origin } = change;
    const trace = { index, collection, origin, receiverCount: 0 };
    NOTIFY_CHANNEL.traceSync(() => {
      const before = this.delivery.receiverCount;
      this.notifyMatching(change, atMs);
      trace.receiverCount = this.delivery.receiverCount - before;
    }, trace);
  }

  private notifyMatching(change: DocumentChange, atMs: number | undefined): void {
    const { id, before, after, metaBefore, metaAfter, cursor, isSilent } = change;
    const { tests } = this.rooms;
    const old = before && { source: before, meta: metaBefore };
    const current = after && { source: after, meta: metaAfter };
    const { entered, stayed, left, limited } = tests.testChange(change, id, old, current, atMs);
    this.gaps.notifyUncertain(change, tests, cursor);
    const incoming = once(() => this.toEnvelope(change, { scope: 'in', shown: after }, atMs));
    const outgoing = once(() => this.toEnvelope(change, { scope: 'out', shown: null }, atMs));
    const watched = once(() => {
      const mapping = tests.mappingOf(change);
      return mapping && new WatchedChange(change, mapping);
    });
    const sendAll = (roomIds: readonly string[], effect: RoomEffect) => {
      const [scope, envelope] = effect === 'left' ? (['out', outgoing] as const) : (['in', incoming] as const);
      const about = { cursor, watched, effect, isSilent };
      for (const roomId of roomIds) this.send(roomId, scope, envelope, about);
    };
    sendAll(entered, 'entered');
    sendAll(stayed, 'stayed');
    sendAll(left, 'left');
    for (const each of limited) {
      const own = once(() => this.toEnvelope(withoutCursor(change), each, atMs));
      const about = { cursor, watched, effect: each.effect, isSilent };
      for (const roomId of each.roomIds) this.send(roomId, each.scope, own, about);
    }
  }

  private toEnvelope(change: DocumentChange, visible: VisibleChange, atMs: number | undefined): string {
    const { id, before, after, version, origin, cursor } = change;
    const meta = change.metaAfter ?? change.metaBefore;
    const notified = { id, before, after, version, meta, origin, cursor };
    return this.delivery.envelope(toNotification(change, notified, visible), atMs);
  }

  /** @param scope null: a pending notification */
  private send(roomId: string, scope: 'in' | 'out' | null, envelope: () => string, about: Committed = {}): void {
    const room = this.rooms.find(roomId);
    if (room === undefined) return;
    const state = scope === null ? 'pending' : 'done';
    const { rightId } = room;
    const cursor = rightId === '' ? undefined : about.cursor && markCursor(about.cursor, rightId);
    const own = once(() => ofRoom(envelope(), roomId, cursor));
    for (const channel of room.channels.values()) {
      if (scope !== null) channel.watcher?.changed(about.watched?.(), about.effect);
      if (about.isSilent) continue;
      if (channel.receivesDocument(state, scope)) this.delivery.publish(channel, own(), about);
    }
  }
}

/** For rooms that rest on rights to a part of the documents: each adds its own cursor. */
function withoutCursor({ cursor: _, ...change }: DocumentChange): DocumentChange {
  return change;
}

/** Nothing is known of what has changed. */
function searchAgain(rooms: Iterable<Room>): void {
  for (const { channels } of rooms) for (const { watcher } of channels.values()) watcher?.changed();
}

/** Computed on first use: most changes have no recipients. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
