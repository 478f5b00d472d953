import type { DocumentMetadata, WriteOperation, WriteOutcome } from '@millrace/kernel';

/** A document as the server has it: what the next write of it is conditional on. */
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
  readonly pending: PendingWrite[];
  /** Null: absent; undefined: not known. */
  state: DocumentState | null | undefined;
  /** The collection was found missing once; the second time it is. */
  wasMissing: boolean;
}

/** One write that has no outcome yet. */
export interface PendingWrite {
  readonly position: number;
  readonly operation: WriteOperation;
}

/** What is to be done with the first pending write: nothing more, or a line of a bulk request. */
export type WriteDecision =
  | { readonly kind: 'done'; readonly outcome: WriteOutcome }
  | {
      readonly kind: 'send';
      readonly lines: readonly string[];
      readonly version: number;
      /** Of the document if it succeeds. */
      readonly meta: DocumentMetadata;
    };
