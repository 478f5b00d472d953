import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { Cursor } from '../storage/ChangeLog.js';
import type { DocumentMetadata } from '../storage/DocumentMetadata.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** The request that caused a change, as far as subscribers may see it. */
export interface ChangeOrigin {
  readonly requestId: string;
  readonly metadata: JsonObject;
}

/** A change that is about to be attempted. */
export interface PendingChange extends CollectionName {
  readonly id: string;
  readonly kind: 'create' | 'delete';
  /** The content after the change; for a removal, the content before it. */
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
  readonly origin: ChangeOrigin;
}

/** One committed change of a document. */
export interface DocumentChange extends CollectionName {
  readonly id: string;
  /**
   * Position in the ordered stream of its collection, counted from 1 while the collection has a subscriber on this
   * node.
   */
  readonly sequence: number;
  /** Null if the document was absent. */
  readonly before: JsonObject | null;
  /** Null if it was removed. */
  readonly after: JsonObject | null;
  /** The metadata of `before`; null if that is null. */
  readonly metaBefore: DocumentMetadata | null;
  /** The metadata of `after`; null if that is null. */
  readonly metaAfter: DocumentMetadata | null;
  /** Version of the document after the change; after a removal, of the removed one. */
  readonly version: number;
  readonly origin: ChangeOrigin;
  /** Subscribers must not be notified. See `needsSilent`. */
  readonly isSilent?: true;
  /**
   * Position in the change log; absent if the change isn't recorded. The changes of a collection that this node makes are
   * passed on in the order of their positions.
   */
  readonly cursor?: Cursor;
  /**
   * This node has passed on the changes of all collections up to this position, which may be earlier than that of this
   * change. Absent while it is not known.
   */
  readonly reached?: Cursor;
}

/**
 * The subscribers to documents, as the storage service sees them: the service reads the document before a write only
 * for collections with subscribers, and passes on each change once, in the order in which changes were committed on
 * this node and, per document, in the order of versions. Calls return at once and never throw.
 */
export interface DocumentListeners {
  /** Names of the collections of an index that have subscribers; in any order, possibly including stored ones. */
  namesIn(index: string): readonly string[];
  isListening(name: CollectionName): boolean;
  /** Whether silent changes are passed on too: followed searches need every change. Absent: false. */
  needsSilent?(name: CollectionName): boolean;
  isListeningForPending(name: CollectionName): boolean;
  pending(change: PendingChange): void;
  committed(change: DocumentChange): void;
  /**
   * All documents that a collection still had were removed at once: their removal is not passed on one by one.
   * @param isSilent subscribers must not be notified
   */
  wiped?(name: CollectionName, isSilent?: true): void;
  /** Mappings of this index (absent: of any) may have been changed by a request, here or on another node. */
  mappingChanged?(index?: string): void;
  /** Resolves when other nodes have been sent everything passed on so far; absent or undefined: no need to wait. */
  confirmed?(): Promise<void> | undefined;
}

/** Provided by the realtime service; `NO_LISTENERS` without one. */
export const DOCUMENT_LISTENERS: InjectionToken<DocumentListeners> = Symbol.for('millrace.DocumentListeners');

/** A server without a realtime service. */
export const NO_LISTENERS: DocumentListeners = {
  namesIn: () => [],
  isListening: () => false,
  isListeningForPending: () => false,
  pending: () => undefined,
  committed: () => undefined,
};
