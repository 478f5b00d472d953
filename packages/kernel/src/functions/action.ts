import type { MaybePromise } from '../concurrency/MaybePromise.js';
import {
  route,
  type ActionDefinition,
  type ActionRequest,
  type ActionResult,
  type HttpMethod,
} from '../contracts/actions/ActionDefinition.js';
import { alsoInBody, type Argument, type Arguments } from '../contracts/actions/Argument.js';
import { callerContextOf, type CallerContext } from './FunctionContext.js';
import { serverFunction, type ServerFunction } from './ServerFunction.js';

/** How an action of a server function is called; everything has a default. */
export interface FunctionOptions<A extends Arguments> extends Partial<
  Pick<ActionDefinition, 'summary' | 'bodyRequired' | 'content' | 'result' | 'writes' | 'access' | 'queue'>
> {
  /** Its arguments: fields of the message, parameters of the path or query string, or members of the body. Default: none. */
  readonly args?: A;
  /** Such as `GET /_prices/:id`. Default: `POST /_functions/<file>/<export>`. */
  readonly routes?: readonly `${HttpMethod} /${string}`[];
}

/**
 * An action of a file of server functions: `export const hello = action({ args: { name: required(text()) } }, ({ args }) =>
 * …)` in `functions/greetings.ts` is the action `greetings.hello`. Callers need the right to it unless `access` is `public`.
 * @param run returns the result; throws a registered error (`defineErrors`) to refuse, anything else is a 500
 */
export function action<const A extends Arguments = Record<never, never>>(
  options: FunctionOptions<A>,
  run: (input: ActionRequest<A>, context: CallerContext) => MaybePromise<ActionResult | void>,
): ServerFunction {
  if (typeof options !== 'object' || typeof run !== 'function')
    throw new TypeError('expected action({ args, routes, … }, (input, context) => result)');
  const { routes, ...others } = options;
  const args: Arguments = options.args ?? {};
  return serverFunction('action', (host, { file, name }) => {
    const definition: ActionDefinition = {
      summary: `The server function ${name} of ${file}.`,
      writes: true,
      ...others,
      controller: file,
      action: name,
      routes: (routes ?? [`POST /_functions/${file}/${name}` as const]).map(route),
      args: Object.fromEntries(Object.entries(args).map(inBodyToo)),
      // The arguments are those that `run` was declared with.
      run: (input) =>
        run(
          input as unknown as ActionRequest<A>,
          callerContextOf(host, input.request.user),
        ) as MaybePromise<ActionResult>,
    };
    host.controller([definition]);
  });
}

/** The names of a target are always fields of the message: rights are judged by them. */
const TARGET = ['index', 'collection', '_id'];

function inBodyToo([name, argument]: [string, Argument<unknown>]): [string, Argument<unknown>] {
  return [name, TARGET.includes(name) ? argument : alsoInBody(argument)];
}
