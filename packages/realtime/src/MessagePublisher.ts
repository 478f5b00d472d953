import {
  CLOCK,
  CONTENT_RULES,
  ofRoom,
  type Clock,
  type CollectionName,
  type ContentRules,
  type JsonObject,
  type NotificationFields,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ChangeSharing } from './cluster/ChangeSharing.js';
import type { SharedMessage } from './cluster/readNews.js';
import { Delivery } from './Delivery.js';
import { TOO_MANY_CHANGES } from './Gap.js';
import { GapNotifier } from './GapNotifier.js';
import { RoomTable } from './rooms/RoomTable.js';

/** For clients that confuse this route with the one that creates a document. */
const UNHEARD = 'published, not stored; to store a document use POST /<index>/<collection>/_create';

/** Publishes messages that aren't stored (PROTO-83). */
@scoped(Scope.ContainerScoped)
export class MessagePublisher {
  constructor(
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(ChangeSharing) private readonly sharing: ChangeSharing,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(CONTENT_RULES) private readonly rules: ContentRules,
  ) {}

  /**
   * Sends a message to every room whose filter it matches, if the collection's specification accepts it.
   * @returns resolves when the response may be sent; undefined: at once
   * @throws validation.failed (400)
   */
  publish(request: Request, name: CollectionName, id: string | undefined, body: JsonObject): Promise<void> | undefined {
    const message = this.rules.admit({ name, source: body, ...(id !== undefined && { id }) });
    const { requestId, metadata } = request;
    const origin = { requestId, metadata };
    const shared: SharedMessage = { id, message, origin, atMs: this.clock.nowMs() };
    const mayBeHeard = this.deliver(name, shared) || this.sharing.reaches(name);
    if (!mayBeHeard) request.hint = UNHEARD;
    return this.sharing.published(name, shared);
  }

  /** Delivers to the subscribers of this node. @returns false if it is already known that there are none */
  deliver(name: CollectionName, shared: SharedMessage): boolean {
    if (!this.rooms.hasRooms(name)) return false;
    if (this.delivery.isFull) {
      this.gaps.notifyCollection(name, TOO_MANY_CHANGES);
      return true;
    }
    let mayBeHeard = true;
    const unheard = () => (mayBeHeard = false);
    this.delivery.inOrder(() => {
      const ready = this.rooms.tests.prepare(name);
      const notify = () => this.notify(name, shared, unheard);
      return ready === undefined ? notify() : ready.then(notify);
    }, shared.message);
    return mayBeHeard;
  }

  private notify(name: CollectionName, { id, message, origin, atMs }: SharedMessage, unheard: () => void): void {
    const { tests } = this.rooms;
    const matching = tests.test(name, { id, source: message, meta: null });
    this.gaps.notifyUncertain(name, tests, undefined);
    if (matching.length === 0) return unheard();
    const { index, collection } = name;
    const notification: NotificationFields = {
      requestId: origin.requestId,
      controller: 'realtime',
      action: 'publish',
      index,
      collection,
      metadata: origin.metadata,
      state: 'done',
      scope: 'in',
      result: { _source: message, ...(id !== undefined && { _id: id }) },
    };
    const envelope = this.delivery.envelope(notification, atMs);
    let isHeard = false;
    for (const roomId of matching) {
      const own = ofRoom(envelope, roomId);
      for (const channel of this.rooms.find(roomId)?.channels.values() ?? []) {
        if (!channel.receivesMessage('in')) continue;
        this.delivery.publish(channel, own);
        isHeard = true;
      }
    }
    if (!isHeard) unheard();
  }
}
