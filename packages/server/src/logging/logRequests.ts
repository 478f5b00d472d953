import type { Hooks, Logger, Request, Response } from '@millrace/kernel';
import { isOfProgram } from '../ProgramSubscriptions.js';

/**
 * Writes a line for every answered request of a client (configuration `log.requests`). It holds no token, body, query
 * string or argument; the logger bounds its length.
 */
export function logRequests(hooks: Hooks, log: Logger): void {
  hooks.add('request.ended', 'request log', ({ request, response }) => {
    if (isOfProgram(request.connection.protocol)) return;
    // The entrypoint has then sent the answer, or has begun to encode a long one.
    setImmediate(() => void write(request, response, log));
  });
}

async function write(request: Request, { message }: Response, log: Logger): Promise<void> {
  const { answerBytes } = request;
  const bytes = answerBytes instanceof Promise ? await answerBytes : answerBytes;
  const { connection, controller, action, requestId, session, user } = request;
  const durationMs = Math.round((performance.now() - request.receivedAtMs) * 1_000) / 1_000;
  const fields = {
    protocol: connection.protocol,
    remoteAddress: connection.remoteAddress,
    userId: user._id,
    ...(session?.apiKeyId !== undefined && { apiKeyId: session.apiKeyId }),
    ...(controller !== '' && { action: `${controller}:${action}` }),
    ...httpFields(request),
    status: message.status,
    ...(message.error !== null && { error: message.error.id }),
    ...(bytes !== null && { bytes }),
    ...{ durationMs, requestId },
  };
  log.info(fields, 'request');
}

/** The path only where no route matches: the values in it may be private. */
function httpFields({ connection: { http } }: Request): object {
  if (http === undefined) return {};
  const { method, path, route } = http;
  return route === undefined ? { method, unknownPath: path } : { method, route };
}
