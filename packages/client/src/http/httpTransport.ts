import type { ResponseMessage } from '@millrace/actions';
import { NetworkError } from '../errors/NetworkError.js';
import type { Answer, Transport } from '../Transport.js';

/** Options of the HTTP transport. */
export interface HttpOptions {
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends each message as `POST /_message/<controller>/<action>`: a browser then asks for permission (a preflight) once
 * per action, not once per document.
 * @param url without a slash at the end
 */
export function httpTransport(url: string, { fetch, headers }: HttpOptions): Transport {
  return async ({ controller, action, ...fields }, { token, signal }) => {
    const path = `${encodeURIComponent(controller)}/${encodeURIComponent(action)}`;
    try {
      const response = await fetch(`${url}/_message/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...headers,
          ...(token === null ? undefined : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(fields),
        signal,
      });
      return answerOf(response, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NetworkError) throw error;
      throw new NetworkError(`No answer from ${url}: ${(error as Error).message}`, error);
    }
  };
}

function answerOf(response: Response, text: string): Answer {
  const { headers, ok, status } = response;
  let content: unknown = text;
  if (headers.get('content-type')?.startsWith('application/json') === true) content = JSON.parse(text);
  if (isEnvelope(content)) {
    const seconds = Number(headers.get('retry-after') ?? NaN);
    return { response: content, ...(seconds >= 0 && { retryAfterMs: seconds * 1_000 }) };
  }
  if (!ok) throw new NetworkError(`Status ${status}, and no answer of a Millrace server`);
  // Some actions answer with bare content (PROTO-20).
  const requestId = headers.get('x-request-id') ?? '';
  return { response: { status, requestId, error: null, result: content } as ResponseMessage };
}

function isEnvelope(content: unknown): content is ResponseMessage {
  return content instanceof Object && 'requestId' in content && 'result' in content;
}
