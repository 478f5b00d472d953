import { storageErrors, type DocumentCopy, type WriteOperation, type WriteOutcome } from '@millrace/kernel';

/** What the successful writes have stored. */
export function toCopies(
  operations: readonly WriteOperation[],
  outcomes: readonly WriteOutcome[],
): readonly DocumentCopy[] {
  return operations.flatMap((operation, i): DocumentCopy[] => {
    const outcome = outcomes[i];
    if (outcome === undefined || outcome.status === 'failed') return [];
    const { index, collection, id } = operation;
    if (operation.kind === 'delete' || outcome.status === 'deleted') return [{ index, collection, id, document: null }];
    const { version, meta } = outcome;
    const document = { id, version, meta, json: JSON.stringify(operation.source) };
    return [{ index, collection, id, document }];
  });
}

/** The outcome with its position in the change log. */
export function recordedAs(
  outcome: Exclude<WriteOutcome, { readonly status: 'failed' }>,
  record: WriteOutcome | undefined,
): WriteOutcome {
  if (record === undefined || record.status === 'failed' || record.cursor === undefined) return outcome;
  return { ...outcome, cursor: record.cursor };
}

/** Whether a write may have been made although it failed. */
export function isUnanswered(outcome: WriteOutcome): boolean {
  return outcome.status === 'failed' && outcome.error.id === storageErrors.unavailable.id;
}
