import { isJsonObject, MillraceError, parseJson, type JsonObject } from '@millrace/kernel';
import { oauth2Errors } from './errors.js';

/** Options of a client. */
export interface ProviderClientOptions {
  /** For error messages. */
  readonly strategy: string;
  readonly maxResponseBytes: number;
}

/** A request to a provider. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The response of a provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

const MAX_PROBLEM_LENGTH = 200;

/**
 * Sends requests to a provider, limited in time by `signal` and in size. Redirections are errors, because they would
 * send a secret to another address. Errors contain the provider's origin and the kind of failure, never the content
 * of request or response.
 */
export class ProviderClient {
  constructor(private readonly options: ProviderClientOptions) {}

  /**
   * @throws auth.provider_unavailable (503) if it can't be reached in time, auth.provider_failed (502) if the
   *   response is too large
   */
  async send(url: string, request: ProviderRequest): Promise<ProviderAnswer> {
    const { method, body, signal } = request;
    const headers = {
      accept: 'application/json',
      'user-agent': 'millrace-auth-oauth2',
      ...request.headers,
    };
    const { origin } = new URL(url);
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === undefined ? undefined : { body }),
      });
      const bytes = await this.read(response);
      return { status: response.status, bytes };
    } catch (error) {
      if (error instanceof MillraceError) throw error;
      const problem = signal.aborted ? 'no answer in time' : reasonOf(error);
      throw this.unavailable(`${origin}: ${problem}`);
    }
  }

  /**
   * Sends a request and returns the JSON object of a response with status 200.
   * @throws auth.provider_unavailable (503) for status 429 and 500 or above, auth.provider_failed (502) for other
   *   statuses and if the body is not a JSON object
   */
  async sendForObject(url: string, request: ProviderRequest): Promise<JsonObject> {
    const answer = await this.send(url, request);
    this.assertServing(answer);
    const { status } = answer;
    if (status !== 200) throw this.failed(`status ${status} where 200 was expected`);
    return this.toObject(answer);
  }

  /** @throws auth.provider_unavailable (503) */
  assertServing({ status }: ProviderAnswer): void {
    if (status >= 500 || status === 429) throw this.unavailable(`it answered ${status}`);
  }

  /** @throws auth.provider_failed (502) */
  toObject({ bytes }: ProviderAnswer): JsonObject {
    const parsed = parseJson(bytes);
    if ('problem' in parsed || !isJsonObject(parsed.value)) {
      throw this.failed('a JSON object was expected');
    }
    return parsed.value;
  }

  /** Creates the error for an unusable response (502). */
  failed(problem: string) {
    const { strategy } = this.options;
    return oauth2Errors.provider_failed({ strategy, problem });
  }

  /** Creates the error for a missing response (503). */
  unavailable(problem: string) {
    const { strategy } = this.options;
    const extras = { retryAfterSeconds: 5 };
    return oauth2Errors.provider_unavailable({ strategy, problem }, extras);
  }

  /**
   * Counts decompressed bytes as they arrive, so neither a wrong length nor a compression bomb gets past the limit.
   */
  private async read(response: Response): Promise<Buffer> {
    const { maxResponseBytes } = this.options;
    const chunks: Uint8Array[] = [];
    let count = 0;
    const reader = response.body?.getReader();
    if (reader === undefined) return Buffer.alloc(0);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const chunk = part.value as Uint8Array;
      count += chunk.length;
      if (count > maxResponseBytes) {
        await reader.cancel();
        throw this.failed(`more than ${maxResponseBytes} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** The code of a network failure (`ECONNREFUSED`), never a message, which might quote the request. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code.slice(0, MAX_PROBLEM_LENGTH) : 'the connection failed';
}
