import type {
  DocumentMetadata,
  JsonObject,
  MillraceError,
  StoredDocument,
  WriteOperation,
  WriteOutcome,
  WriteStamp,
} from '@millrace/kernel';

/** The content of a document after a write. */
export interface PermittedContent {
  readonly id: string;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** A write before pipes. */
export type DecidedWrite = WriteOperation & {
  /** The body of an update whose content is admitted later, after pipes. */
  readonly changes?: JsonObject;
  /** Gives the error that refuses the content after pipes; null if it is permitted. */
  readonly refusal?: (before: StoredDocument | null, after: PermittedContent) => MillraceError | null;
};

/**
 * What a write makes of the stored document (null: absent). Has no effects: it is called again if another writer was
 * faster.
 * @returns `unchanged`: there is nothing to write
 * @throws MillraceError, which refuses this write alone
 */
export type WritePlan = (before: StoredDocument | null, stamp: WriteStamp) => DecidedWrite | 'unchanged';

/**
 * A write as planned by the services. With a plan it depends on the stored document; its other properties then say only
 * where it is made, and whether it may create the collection.
 */
export type PlannedWrite = DecidedWrite & { readonly plan?: WritePlan };

/** A planned write that stores a document. */
export type PlannedPut = PlannedWrite & { readonly kind: 'put' };

/** The outcome of a planned write. */
export type CommittedOutcome =
  | (WriteOutcome & {
      /** The stored content, if the caller doesn't know it: decided by a plan, or changed by pipes. */
      readonly source?: JsonObject;
    })
  | {
      readonly status: 'unchanged';
      readonly version: number;
      readonly source: JsonObject;
      readonly meta: DocumentMetadata;
    };
