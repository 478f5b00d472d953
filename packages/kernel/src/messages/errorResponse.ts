import { MillraceError } from '../errors/MillraceError.js';
import { toWireError } from '../errors/toWireError.js';
import { DeferredMessage } from './DeferredMessage.js';
import { JsonText } from '../json/JsonText.js';
import type { Request } from '../contracts/request/Request.js';
import type { Response } from '../contracts/request/Response.js';
import { toMessage } from './toMessage.js';

/** The response to a request that failed. */
export function errorResponse(request: Request, error: unknown, exposeStack: boolean): Response {
  const wire = toWireError(error, exposeStack);
  const known = error instanceof MillraceError ? error : undefined;
  const result = known?.result ?? null;
  return {
    message:
      result instanceof JsonText
        ? new DeferredMessage(request, result, wire)
        : toMessage(request, wire.status, wire, result),
    ...(known?.retryAfterSeconds === undefined ? undefined : { retryAfterSeconds: known.retryAfterSeconds }),
  };
}
