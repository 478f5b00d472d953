import type {
  ChangeOrigin,
  CollectionName,
  Cursor,
  DocumentMetadata,
  JsonObject,
} from '@millrace/kernel';
import { SERVER_NOTIFICATION, type Notification } from './Notification.js';

/** A change of a document, as far as its notification shows it. */
export interface NotifiedChange {
  readonly id: string;
  /** Null if the document was absent; only whether it is null matters. */
  readonly before: object | null;
  readonly after: JsonObject | null;
  readonly version: number;
  readonly meta: DocumentMetadata | null;
  /** Null if it isn't known. */
  readonly origin: ChangeOrigin | null;
  readonly cursor: Cursor | undefined;
  readonly isReplayed?: boolean;
}

/** The notification of a change that a document enters a room by or stays in it (`in`), or leaves it by (`out`). */
export function toNotification(
  { index, collection }: CollectionName,
  { id, before, after, version, meta, origin, cursor, isReplayed }: NotifiedChange,
  scope: 'in' | 'out',
): Notification {
  return {
    requestId: origin?.requestId ?? SERVER_NOTIFICATION,
    controller: 'document',
    action: after === null ? 'delete' : before === null ? 'create' : 'update',
    index,
    collection,
    metadata: origin?.metadata ?? {},
    state: 'done',
    scope,
    ...(cursor !== undefined && { cursor }),
    ...(isReplayed === true && { replayed: true }),
    result: {
      _id: id,
      ...(scope === 'in' ? { _source: after } : undefined),
      _version: version,
      _meta: meta,
    },
  };
}
