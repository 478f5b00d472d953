import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { DocumentMetadata } from '../storage/DocumentMetadata.js';
import type { CollectionName } from '../storage/StorageEngine.js';

/** The request behind a change, as far as subscribers are told. */
export interface ChangeOrigin {
  readonly requestId: string;
  readonly metadata: JsonObject;
}

/** A change that is about to be tried. */
export interface PendingChange extends CollectionName {
  readonly id: string;
  readonly kind: 'create' | 'delete';
  /** What will be there, or is still there. */
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
  readonly origin: ChangeOrigin;
}

/** One committed change of a document. */
export interface DocumentChange extends CollectionName {
  readonly id: string;
  /** Place in the ordered stream of its collection, counted from 1 as long as somebody listens on this node. */
  readonly sequence: number;
  /** Null where the document was absent. */
  readonly before: JsonObject | null;
  /** Null where it is gone. */
  readonly after: JsonObject | null;
  /** The metadata of `before`; null where that is. */
  readonly metaBefore: DocumentMetadata | null;
  /** The metadata of `after`; null where that is. */
  readonly metaAfter: DocumentMetadata | null;
  /** Of the document after the change; of the removed one after a removal. */
  readonly version: number;
  readonly origin: ChangeOrigin;
}

/**
 * Those who listen to documents, as the storage service sees them: it reads the document before a write only where
 * somebody listens, and hands over each change once, in the order in which they were committed on this node and per
 * document in the order of versions. Calls return at once and never throw.
 */
export interface DocumentListeners {
  /** Names of the collections of an index that someone is subscribed to; in any order, stored ones included. */
  namesIn(index: string): readonly string[];
  isListening(name: CollectionName): boolean;
  isListeningForPending(name: CollectionName): boolean;
  pending(change: PendingChange): void;
  committed(change: DocumentChange): void;
  /** Other nodes have been sent all that was handed over; absent or undefined: there is nothing to wait for. */
  handedOn?(): Promise<void> | undefined;
}

/** Provided by the realtime service; `NO_LISTENERS` where there is none. */
export const DOCUMENT_LISTENERS: InjectionToken<DocumentListeners> = Symbol.for(
  'millrace.DocumentListeners',
);

/** A server without a realtime service. */
export const NO_LISTENERS: DocumentListeners = {
  namesIn: () => [],
  isListening: () => false,
  isListeningForPending: () => false,
  pending: () => undefined,
  committed: () => undefined,
};
