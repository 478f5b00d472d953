/* One write on its way to the engine: what its plan makes of the stored document, and whether it is tried again. */
import {
  documentErrors,
  MillraceError,
  stampMetadata,
  type StoredDocument,
  type WriteOperation,
  type WriteStamp,
} from '@millrace/kernel';
import type { CommittedOutcome, DecidedWrite, PlannedWrite } from './PlannedWrite.js';

/** A stored document; null: absent, undefined: not read. */
export type Before = StoredDocument | null | undefined;

/** A write to make. */
export interface Attempt {
  readonly position: number;
  /** As planned, or as changed by pipes. */
  readonly operation: WriteOperation;
  /** The operation with the condition that the stored document is still `before`. */
  readonly conditional: WriteOperation;
  readonly before: Before;
  /** Whether a plan has decided it. */
  readonly isPlanned: boolean;
}

/** What is written, or the outcome: the plan refuses it, or there is nothing to write. */
export function decide(
  planned: PlannedWrite,
  before: StoredDocument | null,
  stamp: WriteStamp,
): DecidedWrite | CommittedOutcome {
  if (planned.plan === undefined) return planned;
  try {
    const decided = planned.plan(before, stamp);
    if (decided !== 'unchanged') return decided;
    const { version, source, meta } = before as StoredDocument;
    return { status: 'unchanged', version, source, meta };
  } catch (error) {
    if (error instanceof MillraceError) return { status: 'failed', error };
    throw error;
  }
}

/** The error that refuses a write by the right of the writer, judged on the content after pipes. */
export function refusalOf(
  operation: WriteOperation,
  read: StoredDocument | null,
  refusal: DecidedWrite['refusal'],
  stamp: WriteStamp,
): MillraceError | null {
  if (refusal === undefined || operation.kind === 'delete') return null;
  // A creation fails in the engine if there is a document.
  const before = operation.condition === 'absent' ? null : read;
  const meta = stampMetadata(before?.meta ?? null, stamp);
  return refusal(before, { id: operation.id, source: operation.source, meta });
}

/**
 * Narrows a condition to the version that was read; a condition that this version doesn't fulfil is kept, so that the
 * write fails as expected.
 */
export function toConditional(operation: WriteOperation, before: StoredDocument | null): WriteOperation {
  if (typeof operation.condition === 'number' || operation.condition === 'absent') return operation;
  if (before !== null) return { ...operation, condition: before.version };
  if (operation.kind === 'put' && operation.condition === 'any') {
    return { ...operation, condition: 'absent' };
  }
  return operation;
}

/** True if the write failed only because another writer was faster: a plan, or a narrower condition, is tried again. */
export function lostRace({ operation, conditional, isPlanned, before }: Attempt, outcome: CommittedOutcome): boolean {
  if (outcome.status !== 'failed') return false;
  const isAgain = isPlanned
    ? // A plan for an absent document leaves it to the engine what is absent.
      before !== null || outcome.error.id !== documentErrors.not_found.id
    : operation.condition !== conditional.condition;
  if (!isAgain) return false;
  const { id } = outcome.error;
  return (
    id === documentErrors.version_conflict.id ||
    id === documentErrors.already_exists.id ||
    id === documentErrors.not_found.id
  );
}
