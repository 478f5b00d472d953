import type { FieldRule, Query } from '@millrace/query';

/** The right of one policy on documents, with the references to the user resolved. */
export interface DocumentGrant {
  /** Matches the documents that the right covers; null: every document. */
  readonly documents: Query | null;
  /** Matches what a document must be after a write; null: any content. */
  readonly check: Query | null;
  /** The fields that may be read, or written; null: all. */
  readonly fields: FieldRule | null;
}

/**
 * A right that is limited to some documents or fields (SEC-80): the union of its grants. A document is covered if one
 * of them matches it, with the fields of all that match it. A field may be named in a request if each of them shows it.
 */
export interface DocumentRight {
  /** Equal for equal rights. */
  readonly key: string;
  /** Empty: no document. */
  readonly grants: readonly DocumentGrant[];
}
