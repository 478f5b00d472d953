import { isError, storageErrors } from '@millrace/kernel';

/** Whether the storage didn't answer: it may have made the write, or may make it later. */
export function isOutage(error: unknown): boolean {
  return isError(error, storageErrors.unavailable);
}

/** Whether one of the outcomes of a write is that the storage didn't answer. */
export function isUnanswered(outcomes: unknown): boolean {
  if (!Array.isArray(outcomes)) return false;
  return outcomes.some((each: { readonly error?: unknown } | undefined) => isOutage(each?.error));
}
