import type { DocumentMetadata, Queue, WriteOperation, WriteOutcome } from '@millrace/kernel';

/** A document's state in Elasticsearch, on which its next write is conditional. */
export interface DocumentState {
  readonly version: number;
  readonly meta: DocumentMetadata;
  readonly sequenceNumber: number;
  readonly primaryTerm: number;
}

/** The writes of one document in a call, in their order. */
export interface DocumentWrites {
  readonly alias: string;
  readonly id: string;
  readonly pending: Queue<PendingWrite>;
  /** Null: absent; undefined: unknown. */
  state: DocumentState | null | undefined;
  /** The collection was missing once; the second time the write fails. */
  wasMissing: boolean;
}

/** One write that has no outcome yet. */
export interface PendingWrite {
  readonly position: number;
  readonly operation: WriteOperation;
}

/** Decision on the first pending write: an outcome, or a line of a bulk request. */
export type WriteDecision =
  | { readonly kind: 'done'; readonly outcome: WriteOutcome }
  | {
      readonly kind: 'send';
      readonly lines: readonly string[];
      readonly version: number;
      /** The document's metadata if the write succeeds. */
      readonly meta: DocumentMetadata;
    };
