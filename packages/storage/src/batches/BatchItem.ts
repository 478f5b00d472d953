import type {
  CheckedCollection,
  DocumentId,
  DocumentMetadata,
  JsonObject,
  MillraceError,
} from '@millrace/kernel';

/** One checked write of a batch. `index` is the bulk word for createOrReplace. */
export interface BatchWrite {
  readonly kind: 'create' | 'index' | 'replace' | 'update' | 'delete';
  readonly name: CheckedCollection;
  readonly id: DocumentId;
  /** The document, the changes of an update, or null for a delete. */
  readonly content: JsonObject | null;
}

/** A write, or the error that keeps this item alone from being written. */
export type BatchItem = BatchWrite | MillraceError;

/** What became of an item. `source` is the whole content after it and `meta` its metadata, null after a delete. */
export type BatchOutcome =
  | {
      readonly status: 'created' | 'replaced' | 'deleted' | 'unchanged';
      readonly version: number;
      readonly source: JsonObject | null;
      readonly meta: DocumentMetadata | null;
    }
  | { readonly status: 'failed'; readonly error: MillraceError };
