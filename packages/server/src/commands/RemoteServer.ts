import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ActionError } from './ActionError.js';
import type { ActionTarget } from './ActionTarget.js';
import type { CommandOption } from './Command.js';
import type { CommandCall } from './CommandCall.js';

/** The options of commands that call a running server. */
export const SERVER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  url: { value: 'URL', doc: 'address of the server [http://127.0.0.1:7511]' },
  token: { value: 'TOKEN', doc: 'a token of the server; better in MILLRACE_TOKEN' },
};

/** Runs actions over HTTP. */
export class RemoteServer implements ActionTarget {
  /** The address. */
  readonly name: string;

  /** @param token empty: the anonymous user */
  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.name = url.replace(/\/+$/, '');
  }

  /**
   * @returns the result; the whole answer of an action without an envelope
   * @throws ActionError with the id of the server's error, Error if the server does not answer
   */
  async execute(controller: string, action: string, fields: JsonObject = {}): Promise<JsonValue> {
    const { name: url, token } = this;
    const response = await fetch(`${url}/_message/${controller}/${action}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? undefined : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(fields),
    }).catch((error: unknown) => {
      const { cause, message } = error as Error;
      throw new Error(
        `${url} does not answer: ${cause instanceof Error ? cause.message : message}`,
      );
    });
    const answer = (await response.json().catch(() => null)) as JsonValue;
    if (!isJsonObject(answer)) throw new Error(`${url} is not a Millrace server`);
    const { error, result } = answer;
    if (response.ok) return result ?? answer;
    const isError = isJsonObject(error);
    const reason = isError ? JSON.stringify(error.message) : 'no Millrace server';
    const isRefused = response.status === 401 || response.status === 403;
    const hint = isRefused ? ' Pass a token in MILLRACE_TOKEN or with --token.' : '';
    throw new ActionError(
      `${url} refused ${controller}.${action} (${response.status}): ${reason}.${hint}`,
      isError && typeof error.id === 'string' ? error.id : '',
      response.status,
    );
  }

  async close(): Promise<void> {}
}

/** The server that `SERVER_OPTIONS` name. */
export function serverOf(call: CommandCall): RemoteServer {
  const url = call.value('url') ?? 'http://127.0.0.1:7511';
  const token = call.value('token') ?? call.context.environment['MILLRACE_TOKEN'] ?? '';
  return new RemoteServer(url, token);
}
