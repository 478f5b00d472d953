import type { JsonObject, WriteOperation, WriteOutcome } from '@millrace/kernel';

/** A write as the services plan it. */
export type PlannedWrite = WriteOperation & {
  /** The body of an update whose content has yet to be admitted, after pipes. */
  readonly changes?: JsonObject;
};

/** What became of it. */
export type CommittedOutcome = WriteOutcome & {
  /** The content stored, where pipes of plugins may have changed it. */
  readonly source?: JsonObject;
};
