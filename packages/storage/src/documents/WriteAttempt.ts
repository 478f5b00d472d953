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

/** A write before pipes. */
export interface Decided {
  readonly position: number;
  readonly operation: DecidedWrite;
  readonly before: Before;
  readonly isPlanned: boolean;
}

/** A write to make. */
export interface Attempt extends Decided {
  /** As planned, or as changed by pipes. */
  readonly operation: WriteOperation;
  /** The operation with the condition that the stored document is still `before`. */
  readonly conditional: WriteOperation;
}

/** The writes that the plans make of the stored documents; the outcomes of the others are set. */
export function decideAll(
  operations: readonly PlannedWrite[],
  positions: readonly number[],
  befores: readonly Before[],
  { outcomes, stamp }: { readonly outcomes: CommittedOutcome[]; readonly stamp: WriteStamp },
): readonly Decided[] {
  const all: Decided[] = [];
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] as number;
    const operation = operations[position] as PlannedWrite;
    const before = befores[i];
    const { plan } = operation;
    if (plan === undefined || before === undefined) {
      all.push({ position, operation, before, isPlanned: false });
      continue;
    }
    try {
      const decided = plan(before, stamp);
      if (decided !== 'unchanged') all.push({ position, operation: decided, before, isPlanned: true });
      else {
        const { version, source, meta } = before as StoredDocument;
        outcomes[position] = { status: 'unchanged', version, source, meta };
      }
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      outcomes[position] = { status: 'failed', error };
    }
  }
  return all;
}

/** The error that refuses a write by the right of the writer, judged on the content after pipes. */
export function refusalOf(
  operation: WriteOperation,
  read: StoredDocument | null,
  refusal: NonNullable<DecidedWrite['refusal']>,
  stamp: WriteStamp,
): MillraceError | null {
  if (operation.kind === 'delete') return null;
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
