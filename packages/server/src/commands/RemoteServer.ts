import { setTimeout } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ActionError } from '../targets/ActionError.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import type { CommandOption } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { SavedTokens } from './SavedTokens.js';
import { UsageError } from './UsageError.js';

const DEFAULT_URL = 'http://127.0.0.1:7511';

/** The option `url` of commands that call a running server. */
export const URL_OPTION: CommandOption = {
  value: 'URL',
  doc: `address of the server [${DEFAULT_URL}]`,
};

/** The options of commands that call a running server. */
export const SERVER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  url: URL_OPTION,
  token: {
    value: 'TOKEN',
    doc: 'a token of the server; better in MILLRACE_TOKEN [that of millrace login]',
  },
};

/** The longest wait for a rate limit; a longer one is an error. */
const MAX_WAIT_SECONDS = 60;

/** Runs actions over HTTP. */
export class RemoteServer implements ActionTarget {
  /** The address. */
  readonly name: string;

  /** @param token empty: the anonymous user @throws UsageError for an address of another form */
  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.name = toAddress(url);
  }

  /**
   * @returns the result; the whole answer of an action without an envelope
   * @throws ActionError with the id of the server's error, Error if the server does not answer
   */
  async execute(controller: string, action: string, fields: JsonObject = {}): Promise<JsonValue> {
    const { name: url } = this;
    const response = await this.send(`${url}/_message/${controller}/${action}`, fields);
    const answer = (await response.json().catch(() => null)) as JsonValue;
    if (!isJsonObject(answer)) throw new Error(`${url} is not a Millrace server`);
    const { error, result } = answer;
    if (response.ok) return result ?? answer;
    const isError = isJsonObject(error);
    const reason = isError ? JSON.stringify(error.message) : 'no Millrace server';
    const isRefused = response.status === 401 || response.status === 403;
    const hint = isRefused ? ' Log in with millrace login, or pass a token in MILLRACE_TOKEN.' : '';
    throw new ActionError(
      `${url} refused ${controller}.${action} (${response.status}): ${reason}.${hint}`,
      isError && typeof error.id === 'string' ? error.id : '',
      response.status,
    );
  }

  async close(): Promise<void> {}

  /** Sends again what a rate limit refuses, once its time has come. @throws Error if the server does not answer */
  private async send(url: string, fields: JsonObject): Promise<Response> {
    const { token } = this;
    for (;;) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === '' ? undefined : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(fields),
      }).catch((error: unknown) => {
        const { cause, message } = error as Error;
        const reason = cause instanceof Error ? cause.message : message;
        throw new Error(`${this.name} does not answer: ${reason}`);
      });
      const waitSeconds = Number(response.headers.get('retry-after') ?? Infinity);
      if (response.status !== 429 || !(waitSeconds <= MAX_WAIT_SECONDS)) return response;
      await response.body?.cancel();
      await setTimeout(waitSeconds * 1_000);
    }
  }
}

/** The address that `URL_OPTION` names. @throws UsageError for one of another form */
export function addressOf(call: CommandCall): string {
  return toAddress(call.value('url') ?? DEFAULT_URL);
}

/** The server that `SERVER_OPTIONS` name, with the token of `login` if none is given. */
export async function serverOf(call: CommandCall): Promise<RemoteServer> {
  const address = addressOf(call);
  const given = call.value('token') ?? call.context.environment['MILLRACE_TOKEN'];
  const token = given ?? (await new SavedTokens(call.context).find(address))?.token;
  return new RemoteServer(address, token ?? '');
}

function toAddress(url: string): string {
  if (/^https?:\/\/./.test(url)) return url.replace(/\/+$/, '');
  throw new UsageError(`--url: expected an address such as ${DEFAULT_URL}, got "${url}"`);
}
