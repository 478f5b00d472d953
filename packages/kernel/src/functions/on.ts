import type { EventMap, EventName } from '../events/EventMap.js';
import { contextOf, type FunctionContext } from './FunctionContext.js';
import { serverFunction, type ServerFunction } from './ServerFunction.js';

/**
 * Observes an event of the server, such as `document.afterWrite` or `auth.loggedIn`; can't change or delay it.
 * @param run a throw is logged. A function on `document.afterWrite` that writes documents sees its own writes too.
 */
export function on<E extends EventName>(
  event: E,
  run: (event: EventMap[E], context: FunctionContext) => unknown,
): ServerFunction {
  if (typeof event !== 'string' || typeof run !== 'function')
    throw new TypeError("expected on('document.afterWrite', (event, context) => …)");
  return serverFunction('on', (host) => host.hook(event, (payload) => run(payload, contextOf(host))));
}
