import {
  CONTENT_RULES,
  toCollectionName,
  type CollectionName,
  type ContentRules,
  type JsonObject,
  type Request,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { Delivery } from './Delivery.js';
import { RoomTable } from './rooms/RoomTable.js';

/** Messages that are stored nowhere (interface.md, realtime.publish; decisions.md section 8). */
@injectable()
export class MessagePublisher {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(CONTENT_RULES) private readonly rules: ContentRules,
  ) {}

  /**
   * Sends a message to every room whose filter it matches, once the collection's specification admits it.
   * @throws storage.invalid_name, validation.failed (400)
   */
  publish(request: Request, name: CollectionName, id: string | undefined, body: JsonObject): void {
    const { index, collection } = toCollectionName(name.index, name.collection);
    const message = this.rules.admit({ name, source: body, ...(id !== undefined && { id }) });
    if (!this.rooms.hasRooms(name)) return;
    const { requestId, metadata } = request;
    this.delivery.inOrder(() => {
      const matching = this.rooms.match(name, message, id);
      if (matching.length === 0) return;
      const envelope = this.delivery.envelope({
        requestId,
        controller: 'realtime',
        action: 'publish',
        index,
        collection,
        metadata,
        state: 'done',
        scope: 'in',
        result: { _source: message, ...(id !== undefined && { _id: id }) },
      });
      for (const roomId of matching) {
        for (const channel of this.rooms.find(roomId)?.channels.values() ?? []) {
          if (channel.hearsMessage('in')) this.delivery.publish(channel, envelope);
        }
      }
    });
  }
}
