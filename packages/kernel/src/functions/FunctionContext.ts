import type { ActionMessage, ActionResponse } from '@millrace/actions';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { User } from '../contracts/security/User.js';
import { MillraceError } from '../errors/MillraceError.js';
import { isJsonObject } from '../json/Json.js';
import type { PluginHost } from '../plugins/PluginHost.js';

/** The result of a successful action. */
export type CallResult<C extends string, A extends string> =
  Extract<ActionResponse<C, A>, { readonly status: 200 }> extends { readonly result: infer R }
    ? R
    : ActionResponse<C, A>['result'];

/** What a server function may use of the server. */
export interface FunctionContext {
  /** A logger whose lines carry the plugin `functions`. */
  readonly log: Logger;
  /**
   * Runs an action with the rights of an administrator. Its author in `_meta` is `functions`.
   * @throws MillraceError with the id and status of the failed action; status 206 if some of several items failed
   */
  callAsServer<C extends string, A extends string>(fields: ActionMessage<C, A>): Promise<CallResult<C, A>>;
}

/** The context of a function that a request runs. */
export interface CallerContext extends FunctionContext {
  /**
   * Runs an action with the rights of the user whose request runs the function.
   * @throws MillraceError with the id and status of the failed action; status 206 if some of several items failed
   */
  call<C extends string, A extends string>(fields: ActionMessage<C, A>): Promise<CallResult<C, A>>;
}

/** Server code runs as an administrator where it asks to. */
const SERVER: User = Object.freeze({
  _id: 'functions',
  profileIds: Object.freeze(['admin']),
});

export function contextOf(host: PluginHost): FunctionContext {
  return { log: host.log, callAsServer: (fields) => callAs(host, SERVER, fields) };
}

export function callerContextOf(host: PluginHost, user: User): CallerContext {
  return { ...contextOf(host), call: (fields) => callAs(host, user, fields) };
}

async function callAs<R>(host: PluginHost, user: User, fields: object): Promise<R> {
  const { error, result } = await host.execute({ ...fields }, { user });
  if (error === null) return result as R;
  const { id, status, message, details } = error;
  throw new MillraceError(id, status, typeof message === 'string' ? message : JSON.stringify(message), {
    ...(details === undefined ? undefined : { details }),
    ...(isJsonObject(result) ? { result } : undefined),
  });
}
