import { memoryErrors, type MillraceError } from '@millrace/kernel';

/** Largest answer of one command, in bytes of JSON. */
export const MAX_ANSWER_BYTES = 67_108_864;

/** The error for a larger one. */
export function answerTooLarge(): MillraceError {
  return memoryErrors.answer_too_large({ limitBytes: MAX_ANSWER_BYTES });
}
