import type { JsonObject, WriteOperation, WriteOutcome } from '@millrace/kernel';

/** A write as planned by the services, before pipes. */
export type PlannedWrite = WriteOperation & {
  /** The body of an update whose content is admitted later, after pipes. */
  readonly changes?: JsonObject;
};

/** The outcome of a planned write. */
export type CommittedOutcome = WriteOutcome & {
  /** The stored content, if pipes of plugins may have changed it. */
  readonly source?: JsonObject;
};
