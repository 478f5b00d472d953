/*
 * Receives the changes and messages of other nodes. They go through the same queue as local ones. Above its limit
 * remote changes are dropped: an overloaded node loses notifications, and reports the gap, instead of running out of
 * memory.
 */
import {
  CHANGE_LOG,
  NODE_LINK,
  readCollectionKey,
  type ChangeLog,
  type CollectionName,
  type Lifecycle,
  type NodeLink,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Delivery } from '../Delivery.js';
import { DocumentNotifier } from '../DocumentNotifier.js';
import { TOO_MANY_CHANGES, type Gap } from '../Gap.js';
import { GapNotifier } from '../GapNotifier.js';
import { MessagePublisher } from '../MessagePublisher.js';
import { DeliveredPosition } from '../resume/DeliveredPosition.js';
import { RoomTable } from '../rooms/RoomTable.js';
import { CHANGE, MESSAGE, PENDING, WIPED } from './ChangeSharing.js';
import { readChange, readMessage, readPending } from './readNews.js';

const MAX_WAITING = 50_000;
const NODE_DIED = 'a node died: its last changes may not have been delivered';

/** Delivers changes and messages of other nodes to local subscribers. */
@scoped(Scope.ContainerScoped)
export class ChangeIntake implements Lifecycle {
  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(RoomTable) private readonly rooms: RoomTable,
    @inject(Delivery) private readonly delivery: Delivery,
    @inject(DocumentNotifier) private readonly documents: DocumentNotifier,
    @inject(MessagePublisher) private readonly messages: MessagePublisher,
    @inject(GapNotifier) private readonly gaps: GapNotifier,
    @inject(CHANGE_LOG) private readonly log: ChangeLog | null,
    @inject(DeliveredPosition) private readonly position: DeliveredPosition,
  ) {}

  /** Call before the link starts. */
  async start(): Promise<void> {
    const { link } = this;
    this.receiveRecorded();
    if (!link.isClustered) return;
    link.receive(CHANGE, (key, body) => {
      this.take(key, (name) => {
        const { change, atMs } = readChange(name, body);
        this.documents.deliver(change, atMs);
      });
    });
    link.receive(WIPED, (key) => this.gaps.notifyWiped(readCollectionKey(key)));
    link.receive(PENDING, (key, body) => {
      this.take(key, (name) => {
        const { change, atMs } = readPending(name, body);
        this.documents.deliverPending(change, atMs);
      });
    });
    link.receive(MESSAGE, (key, body) => {
      this.take(key, (name) => this.messages.deliver(name, readMessage(body)));
    });
    link.observe({
      missed: (reason) => this.gaps.notifyAll(nodeLost(reason)),
      left: (_, how) => {
        // With a shared change log, another node records its last changes.
        if (how === 'died' && this.log?.passOn === undefined) this.gaps.notifyAll(nodeLost(NODE_DIED));
      },
    });
  }

  async stop(): Promise<void> {}

  /** Changes that the change log passes on, those of this node too. */
  private receiveRecorded(): void {
    const { gaps } = this;
    this.log?.passOn?.({
      changed: (name, _, read) => {
        this.takeOf(name, () => {
          const found = read();
          if (found !== null) this.documents.deliverRecorded(found.change, found.atMs);
        });
      },
      wiped: (name) => {
        if (this.rooms.hasRooms(name)) gaps.notifyWiped(name);
      },
      reached: (cursor) => this.delivery.inOrder(() => this.position.delivered(cursor)),
      lost: (name, message) => {
        if (name === null) gaps.notifyAll(nodeLost(message));
        else gaps.notifyCollection(name, nodeLost(message));
      },
    });
  }

  private take(key: string, deliver: (name: CollectionName) => void): void {
    this.takeOf(readCollectionKey(key), deliver);
  }

  private takeOf(name: CollectionName, deliver: (name: CollectionName) => void): void {
    // Most messages concern other nodes' rooms, so they aren't even parsed.
    if (!this.rooms.hasRooms(name)) return;
    if (this.delivery.waitingCount < MAX_WAITING) deliver(name);
    else this.gaps.notifyCollection(name, TOO_MANY_CHANGES);
  }
}

function nodeLost(message: string): Gap {
  return { reason: 'node_lost', message };
}
