import { MillraceError } from '../errors/MillraceError.js';
import { toWireError, type WireError } from '../errors/toWireError.js';
import { DeferredMessage } from './DeferredMessage.js';
import { JsonText } from '../json/JsonText.js';
import type { Request } from './Request.js';
import type { Response, ResponseMessage } from './Response.js';

/** The response to a request that failed. */
export function errorResponse(request: Request, error: unknown, exposeStack: boolean): Response {
  const wire = toWireError(error, exposeStack);
  const known = error instanceof MillraceError ? error : undefined;
  return {
    message: toMessage(request, wire, known?.result ?? null),
    ...(known?.retryAfterSeconds === undefined ? undefined : { retryAfterSeconds: known.retryAfterSeconds }),
  };
}

function toMessage(
  request: Request,
  error: WireError,
  result: NonNullable<MillraceError['result']> | null,
): ResponseMessage {
  if (result instanceof JsonText) return new DeferredMessage(request, result, error);
  return {
    requestId: request.requestId,
    status: error.status,
    error,
    controller: request.controller === '' ? null : request.controller,
    action: request.action === '' ? null : request.action,
    index: request.index,
    collection: request.collection,
    metadata: request.metadata,
    state: 'done',
    result,
  };
}
