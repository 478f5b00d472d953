import type {
  DocumentMetadata,
  JsonObject,
  MillraceError,
  StoredDocument,
  WriteOperation,
  WriteOutcome,
  WriteStamp,
  ChangeOrigin,
  Request,
} from '@millrace/kernel';
import type { PermittedContent } from '../rights/WriteGuard.js';

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
type WritePlan = (before: StoredDocument | null, stamp: WriteStamp) => DecidedWrite | 'unchanged';

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

/** Options of a write. */
export interface CommitOptions {
  /** Resolve when searches see the writes (`refresh: wait_for`). */
  readonly refresh: boolean;
  /** The origin that notifications carry; null: subscribers aren't notified (`silent`). */
  readonly origin: ChangeOrigin | null;
  /**
   * The request that makes the write, for the metadata of documents and the plugins that observe them; null: an
   * internal write.
   */
  readonly request: Request | null;
  /** The action on documents whose right applies (SEC-87). */
  readonly action?: string;
}

/** The options that a request specifies. */
export function toCommitOptions(
  request: Request,
  args: { readonly refresh?: boolean | undefined; readonly silent?: boolean | undefined },
): CommitOptions & { readonly request: Request; readonly action: string } {
  return {
    refresh: args.refresh === true,
    origin: args.silent === true ? null : request,
    request,
    action: request.action,
  };
}
