import type { AuthStrategy, LoginAttempt } from '../contracts/security/AuthStrategy.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type { JsonObject } from '../json/Json.js';
import type { Redirect } from '../contracts/request/Response.js';
import { contextOf, type FunctionContext } from './FunctionContext.js';
import { serverFunction, type ServerFunction } from './ServerFunction.js';

/** A way to log in, named after its export. */
export interface FunctionStrategy extends Omit<AuthStrategy, 'name' | 'verify' | 'passport'> {
  /** @returns the user's id; null for wrong credentials (401); or a redirect (302) */
  verify(
    parameters: JsonObject,
    attempt: LoginAttempt,
    context: FunctionContext,
  ): MaybePromise<{ readonly userId: string } | Redirect | null>;
}

/** A way to log in: `export const pin = strategy({ verify })` is `POST /_login/pin`. */
export function strategy(given: FunctionStrategy): ServerFunction {
  if (typeof (given as Partial<FunctionStrategy> | undefined)?.verify !== 'function')
    throw new TypeError('expected strategy({ verify(parameters, attempt, context) { … } })');
  return serverFunction('strategy', (host, { name }) =>
    host.strategy({
      ...given,
      name,
      verify: (parameters, attempt) => given.verify(parameters, attempt, contextOf(host)),
    }),
  );
}
