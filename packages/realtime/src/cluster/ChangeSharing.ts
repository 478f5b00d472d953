import {
  CLOCK,
  NODE_LINK,
  toCollectionKey,
  type ChangeOrigin,
  type Clock,
  type CollectionName,
  type DocumentChange,
  type NodeLink,
  type PendingChange,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { SharedMessage } from './readNews.js';
import { RemoteRooms } from '../rooms/RemoteRooms.js';

export const CHANGE = 'realtime.change';
export const PENDING = 'realtime.pending';
export const WIPED = 'realtime.wiped';
export const MESSAGE = 'realtime.message';

/** Sends changes and messages to nodes with rooms in their collection. Each is encoded once. */
@scoped(Scope.ContainerScoped)
export class ChangeSharing {
  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the timestamp that all nodes use, UTC milliseconds; undefined if no other node is concerned */
  committed(change: DocumentChange): number | undefined {
    const { index, collection, id, version, sequence, before, after, origin } = change;
    const { metaBefore, metaAfter } = change;
    const name = { index, collection };
    if (!this.remote.hasRooms(name)) return undefined;
    const atMs = this.clock.nowMs();
    const sent = {
      id,
      version,
      sequence,
      before,
      after,
      metaBefore,
      metaAfter,
      origin: toOrigin(origin),
      atMs,
    };
    this.link.send(CHANGE, toCollectionKey(name), JSON.stringify(sent));
    return atMs;
  }

  /** All documents of a collection were removed at once. */
  wiped(name: CollectionName): void {
    if (this.remote.hasRooms(name)) this.link.send(WIPED, toCollectionKey(name), '');
  }

  /** @returns same as `committed` */
  pending(change: PendingChange): number | undefined {
    const { index, collection, id, kind, source, meta, origin } = change;
    const name = { index, collection };
    if (!this.remote.hasPending(name)) return undefined;
    const atMs = this.clock.nowMs();
    this.link.send(
      PENDING,
      toCollectionKey(name),
      JSON.stringify({ id, kind, source, meta, origin: toOrigin(origin), atMs }),
    );
    return atMs;
  }

  /** Whether other nodes may have subscribers for messages of a collection. */
  reaches(name: CollectionName): boolean {
    return this.remote.hasRooms(name);
  }

  /** @returns resolves when the response may be sent; undefined: at once */
  published(name: CollectionName, message: SharedMessage): Promise<void> | undefined {
    if (!this.remote.hasRooms(name)) return undefined;
    this.link.send(MESSAGE, toCollectionKey(name), JSON.stringify({ ...message, id: message.id ?? null }));
    return this.link.confirmed();
  }

  /** Resolves when everything sent is in Redis; undefined if it already is. */
  confirmed(): Promise<void> | undefined {
    return this.link.confirmed();
  }
}

/** The part of an origin that subscribers may see: it may be a whole request. */
function toOrigin({ requestId, metadata }: ChangeOrigin): ChangeOrigin {
  return { requestId, metadata };
}
