import { MillraceError } from '../errors/MillraceError.js';
import { toWireError } from '../errors/toWireError.js';
import type { Request } from './Request.js';
import type { Response } from './Response.js';

/** The response to a request that failed. */
export function errorResponse(request: Request, error: unknown, exposeStack: boolean): Response {
  const wire = toWireError(error, exposeStack);
  const known = error instanceof MillraceError ? error : undefined;
  return {
    message: {
      requestId: request.requestId,
      status: wire.status,
      error: wire,
      controller: request.controller === '' ? null : request.controller,
      action: request.action === '' ? null : request.action,
      index: request.index,
      collection: request.collection,
      metadata: request.metadata,
      state: 'done',
      result: known?.result ?? null,
    },
    ...(known?.retryAfterSeconds === undefined
      ? undefined
      : { retryAfterSeconds: known.retryAfterSeconds }),
  };
}
