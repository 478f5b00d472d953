import type { WireError } from '../errors/toWireError.js';
import type { JsonValue } from '../json/Json.js';
import type { Request } from '../contracts/request/Request.js';
import type { ResponseMessage } from '../contracts/request/Response.js';

/** The message that answers a request. */
export function toMessage(
  request: Request,
  status: number,
  error: WireError | null,
  result: JsonValue,
): ResponseMessage {
  return {
    requestId: request.requestId,
    status,
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
