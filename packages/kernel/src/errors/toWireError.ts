import type { WireError } from '@millrace/actions';
import { coreErrors } from './errors.js';
import { MillraceError } from './MillraceError.js';

export type { WireError };

/**
 * The only function that decides what a client sees of a failure. An error that is not registered becomes
 * `core.internal`; its message goes to the log only.
 * @param exposeStack adds the stack (configuration `server.exposeStack`, for development)
 */
export function toWireError(error: unknown, exposeStack = false): WireError {
  const known = error instanceof MillraceError ? error : coreErrors.internal({}, { cause: error });
  const shown = known.cause instanceof Error ? known.cause : known;
  return {
    id: known.id,
    status: known.status,
    message: known.message,
    ...(known.details === undefined ? undefined : { details: known.details }),
    ...known.members,
    ...(exposeStack && shown.stack !== undefined ? { stack: shown.stack } : undefined),
  };
}
