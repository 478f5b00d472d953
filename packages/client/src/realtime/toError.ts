import type { ResponseMessage } from '@millrace/actions';
import { MillraceError } from '../errors/MillraceError.js';

/** The parts of a response that an error is made of. */
export type Refusal = Pick<ResponseMessage, 'status' | 'error' | 'requestId'>;

/** The error of a response that has one. */
export function toError({ status, error, requestId }: Refusal): MillraceError {
  const { id = 'core.internal', message, details } = { ...error };
  return new MillraceError({ id, status, message: message as string, requestId, details });
}
