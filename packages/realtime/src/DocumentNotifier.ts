import type {
  CollectionName,
  DocumentChange,
  DocumentListeners,
  JsonObject,
  PendingChange,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { Delivery } from './Delivery.js';
import { RoomTable } from './rooms/RoomTable.js';

/**
 * Tells rooms of documents by effect, not by action (decisions.md section 8): a document that matches after a write has
 * come in or changed inside, one that matched before and does no longer has gone out.
 */
@injectable()
export class DocumentNotifier implements DocumentListeners {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
  ) {}

  namesIn(index: string): readonly string[] {
    return this.rooms.collectionsIn(index);
  }

  isListening(name: CollectionName): boolean {
    return this.rooms.hasRooms(name);
  }

  isListeningForPending(name: CollectionName): boolean {
    return this.rooms.hasPending(name);
  }

  pending(change: PendingChange): void {
    this.delivery.inOrder(() => this.tellPending(change));
  }

  committed(change: DocumentChange): void {
    this.delivery.inOrder(() => this.tellCommitted(change));
  }

  private tellPending({ index, collection, id, kind, source, origin }: PendingChange): void {
    const name = { index, collection };
    if (!this.rooms.hasPending(name)) return;
    const matching = this.rooms.match(name, source, id);
    if (matching.length === 0) return;
    const envelope = this.delivery.envelope({
      requestId: origin.requestId,
      controller: 'document',
      action: kind,
      ...name,
      metadata: {},
      state: 'pending',
      scope: null,
      result: {},
    });
    for (const roomId of matching) this.send(roomId, 'pending', null, () => envelope);
  }

  private tellCommitted(change: DocumentChange): void {
    if (!this.rooms.hasRooms(change)) return;
    const { entered, stayed, left } = this.rooms.matchChange(change);
    const incoming = once(() => this.toEnvelope(change, 'in'));
    for (const roomId of entered) this.send(roomId, 'done', 'in', incoming);
    for (const roomId of stayed) this.send(roomId, 'done', 'in', incoming);
    const outgoing = once(() => this.toEnvelope(change, 'out'));
    for (const roomId of left) this.send(roomId, 'done', 'out', outgoing);
  }

  private toEnvelope(change: DocumentChange, scope: 'in' | 'out'): string {
    const { index, collection, id, before, after, origin } = change;
    const result: JsonObject = scope === 'in' ? { _id: id, _source: after } : { _id: id };
    return this.delivery.envelope({
      requestId: origin.requestId,
      controller: 'document',
      action: after === null ? 'delete' : before === null ? 'create' : 'update',
      index,
      collection,
      metadata: origin.metadata,
      state: 'done',
      scope,
      result,
    });
  }

  private send(
    roomId: string,
    state: 'pending' | 'done',
    scope: 'in' | 'out' | null,
    envelope: () => string,
  ): void {
    const room = this.rooms.find(roomId);
    if (room === undefined) return;
    for (const channel of room.channels.values()) {
      if (channel.hearsDocument(state, scope)) this.delivery.publish(channel, envelope());
    }
  }
}

/** Made at the first call: most changes reach nobody. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
