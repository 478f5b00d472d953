import { apiErrors } from '../../errors/errors.js';
import type { JsonObject } from '../../json/Json.js';
import { readPrecondition } from '../request/Precondition.js';
import { fieldsOf, type Request } from '../request/Request.js';
import type { ActionDefinition, ActionRequest } from './ActionDefinition.js';
import { readArgument, requireArgument } from './Argument.js';

const EMPTY: JsonObject = Object.freeze({});
const NONE: readonly never[] = [];

/**
 * Checks a request against its action's arguments. Index, collection and `_id` come from `request.target`, by which the
 * request has been authorised.
 * @throws api.missing_argument, api.invalid_argument (400), naming the argument
 */
export function checkArguments(action: ActionDefinition, request: Request): ActionRequest {
  if (action.bodyRequired === true && request.body === null) {
    throw apiErrors.missing_argument({ name: 'body', expected: 'a JSON object' });
  }
  if (action.writes && action.preconditions === undefined) readPrecondition(request, NONE);
  const fields = fieldsOf(request);
  const { target } = request;
  const args: Record<string, unknown> = {};
  let body = request.body ?? EMPTY;
  for (const name of Object.keys(action.args)) {
    const definition = action.args[name];
    if (definition === undefined) continue;
    let value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (definition.inBody && Object.hasOwn(body, name)) {
      value ??= body[name];
      body = without(body, name);
    }
    switch (name) {
      case 'index':
      case 'collection':
        args[name] = requireArgument(name, definition, target[name]);
        break;
      case '_id':
        args[name] = requireArgument(name, definition, target.id);
        break;
      default:
        args[name] = readArgument(name, definition, value);
    }
  }
  return { request, args, body, fields: action.readsFields === true ? fields : EMPTY };
}

/** A copy of the object without one key; `__proto__` is treated as an ordinary key. */
function without(source: JsonObject, key: string): JsonObject {
  const { [key]: _removed, ...rest } = source;
  return rest;
}
