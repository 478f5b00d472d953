import type { CheckedCollection, DocumentId, DocumentMetadata, JsonObject, MillraceError } from '@millrace/kernel';

/** One checked write of a batch. `index` is the name of createOrReplace in bulk imports. */
export interface BatchWrite {
  readonly kind: 'create' | 'index' | 'replace' | 'update' | 'delete';
  readonly name: CheckedCollection;
  readonly id: DocumentId;
  /** The document, the changes of an update, or null for a delete. */
  readonly content: JsonObject | null;
}

/** A write, or the error that makes this item alone fail. */
export type BatchItem = BatchWrite | MillraceError;

/**
 * The outcome of an item. `source` is the whole content after the write and `meta` its metadata; null after a delete.
 */
export type BatchOutcome =
  | {
      readonly status: 'created' | 'replaced' | 'deleted' | 'unchanged';
      readonly version: number;
      readonly source: JsonObject | null;
      readonly meta: DocumentMetadata | null;
    }
  | { readonly status: 'failed'; readonly error: MillraceError };

/**
 * The actions of the document controller that the items correspond to; each item needs the permission for its action.
 */
export const ITEM_ACTIONS = {
  create: 'create',
  index: 'createOrReplace',
  replace: 'replace',
  update: 'update',
  delete: 'delete',
} as const;
