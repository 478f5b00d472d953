import type {
  DocumentMetadata,
  JsonObject,
  MillraceError,
  StoredDocument,
  WriteOperation,
  WriteOutcome,
} from '@millrace/kernel';

/** The content of a document after a write. */
export interface PermittedContent {
  readonly id: string;
  readonly source: JsonObject;
  readonly meta: DocumentMetadata;
}

/** A write as planned by the services, before pipes. */
export type PlannedWrite = WriteOperation & {
  /** The body of an update whose content is admitted later, after pipes. */
  readonly changes?: JsonObject;
  /** Gives the error that refuses the content after pipes; null if it is permitted. */
  readonly refusal?: (
    before: StoredDocument | null,
    after: PermittedContent,
  ) => MillraceError | null;
};

/** The outcome of a planned write. */
export type CommittedOutcome = WriteOutcome & {
  /** The stored content, if pipes of plugins may have changed it. */
  readonly source?: JsonObject;
};
