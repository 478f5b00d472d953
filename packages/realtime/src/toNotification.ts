import {
  SERVER_NOTIFICATION,
  type ChangeOrigin,
  type CollectionName,
  type Cursor,
  type DocumentMetadata,
  type JsonObject,
  type NotificationFields,
} from '@millrace/kernel';

/** A change of a document, as far as its notification shows it. */
export interface NotifiedChange {
  readonly id: string;
  /** Null if the document was absent; only whether it is null matters. */
  readonly before: object | null;
  /** Null if it is absent now; only whether it is null matters. */
  readonly after: object | null;
  readonly version: number;
  readonly meta: DocumentMetadata | null;
  /** Null if it isn't known. */
  readonly origin: ChangeOrigin | null;
  readonly cursor: Cursor | undefined;
  readonly isReplayed?: boolean;
}

/** What a change is for a room. */
export interface VisibleChange {
  /** `in`: the document enters the room or stays in it; `out`: it leaves. */
  readonly scope: 'in' | 'out';
  /** The content after the change that subscribers may see; null if the document has left. */
  readonly shown: JsonObject | null;
  /** The document exists, but subscribers may no longer see it: they receive nothing but its id. */
  readonly isHidden?: boolean;
}

/** The notification of a change. */
export function toNotification(
  { index, collection }: CollectionName,
  { id, before, after, version, meta, origin, cursor, isReplayed }: NotifiedChange,
  { scope, shown, isHidden }: VisibleChange,
): NotificationFields {
  return {
    requestId: origin?.requestId ?? SERVER_NOTIFICATION,
    controller: 'document',
    action: after === null ? 'delete' : before === null ? 'create' : 'update',
    index,
    collection,
    // Of the writer, about a document that subscribers may no longer see.
    metadata: isHidden === true ? {} : (origin?.metadata ?? {}),
    state: 'done',
    scope,
    ...(cursor !== undefined && { cursor }),
    ...(isReplayed === true && { replayed: true }),
    result:
      isHidden === true
        ? { _id: id }
        : {
            _id: id,
            ...(scope === 'in' ? { _source: shown } : undefined),
            _version: version,
            _meta: meta,
          },
  };
}
