import type {
  CollectionName,
  DocumentChange,
  DocumentListeners,
  JsonObject,
  PendingChange,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ChangeOrder } from './cluster/ChangeOrder.js';
import { ChangeSharing } from './cluster/ChangeSharing.js';
import { RemoteRooms } from './cluster/RemoteRooms.js';
import { Delivery } from './Delivery.js';
import { COSTLY_PATTERNS, GapNotifier, TOO_MANY_CHANGES } from './GapNotifier.js';
import { ofRoom, type Notification } from './Notification.js';
import { RoomTable } from './rooms/RoomTable.js';
import { toTestedDocument } from './toTested.js';

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
    @inject(ChangeOrder) private readonly order: ChangeOrder,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
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

  pending(change: PendingChange): void {
    const atMs = this.sharing.pending(change);
    this.deliverPending(change, atMs);
  }

  committed(change: DocumentChange): void {
    const atMs = this.sharing.committed(change);
    this.deliver(change, atMs);
  }

  confirmed(): Promise<void> | undefined {
    return this.sharing.confirmed();
  }

  /** Delivers to the subscribers of this node. @param atMs time of the change, if other nodes deliver it too */
  deliver(change: DocumentChange, atMs?: number): void {
    if (!this.rooms.hasRooms(change)) return;
    if (this.delivery.isFull) return this.gaps.tellCollection(change, TOO_MANY_CHANGES);
    this.order.pass(change, () => {
      this.delivery.inOrder(() => this.tellCommitted(change, atMs), change);
    });
  }

  /** Delivers to the subscribers of this node. @param atMs see `deliver` */
  deliverPending(change: PendingChange, atMs?: number): void {
    if (this.delivery.isFull) return this.gaps.tellCollection(change, TOO_MANY_CHANGES);
    this.delivery.inOrder(() => this.tellPending(change, atMs), change);
  }

  private tellPending(change: PendingChange, atMs: number | undefined): void {
    const { index, collection, id, kind, source, meta, origin } = change;
    const name = { index, collection };
    if (!this.rooms.hasPending(name)) return;
    const matching = this.rooms.match(name, toTestedDocument(source, meta), id);
    if (this.rooms.isIncomplete) this.gaps.tellCollection(name, COSTLY_PATTERNS);
    if (matching.length === 0) return;
    const notification: Notification = {
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
    for (const roomId of matching) this.send(roomId, 'pending', null, () => envelope);
  }

  private tellCommitted(change: DocumentChange, atMs: number | undefined): void {
    if (!this.rooms.hasRooms(change)) return;
    const { entered, stayed, left } = this.rooms.matchChange(change);
    if (this.rooms.isIncomplete) this.gaps.tellCollection(change, COSTLY_PATTERNS);
    const incoming = once(() => this.toEnvelope(change, 'in', atMs));
    for (const roomId of entered) this.send(roomId, 'done', 'in', incoming);
    for (const roomId of stayed) this.send(roomId, 'done', 'in', incoming);
    const outgoing = once(() => this.toEnvelope(change, 'out', atMs));
    for (const roomId of left) this.send(roomId, 'done', 'out', outgoing);
  }

  private toEnvelope(
    change: DocumentChange,
    scope: 'in' | 'out',
    atMs: number | undefined,
  ): string {
    const { index, collection, id, before, after, version, origin } = change;
    const result: JsonObject = {
      _id: id,
      ...(scope === 'in' ? { _source: after } : undefined),
      _version: version,
      _meta: change.metaAfter ?? change.metaBefore,
    };
    const notification: Notification = {
      requestId: origin.requestId,
      controller: 'document',
      action: after === null ? 'delete' : before === null ? 'create' : 'update',
      index,
      collection,
      metadata: origin.metadata,
      state: 'done',
      scope,
      result,
    };
    return this.delivery.envelope(notification, atMs);
  }

  private send(
    roomId: string,
    state: 'pending' | 'done',
    scope: 'in' | 'out' | null,
    envelope: () => string,
  ): void {
    const room = this.rooms.find(roomId);
    if (room === undefined) return;
    const own = once(() => ofRoom(envelope(), roomId));
    for (const channel of room.channels.values()) {
      if (channel.hearsDocument(state, scope)) this.delivery.publish(channel, own());
    }
  }
}

/** Computed on first use: most changes have no recipients. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
