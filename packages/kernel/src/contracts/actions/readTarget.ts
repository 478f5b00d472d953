import type { ActionDefinition } from './ActionDefinition.js';
import { readArgument, type Argument } from './Argument.js';
import type { Target } from '../security/Security.js';
import { apiErrors } from '../../errors/errors.js';
import { fieldsOf, type Request } from '../request/Request.js';
import { showValue } from '../../errors/showValue.js';

/**
 * The target of a request: the index, collection and document that its action takes as arguments, null for those it
 * doesn't take. The only function that reads these names: the request is authorised by the result, and `checkArguments`
 * passes the same values to the action.
 * @throws storage.invalid_name, api.invalid_argument (400)
 */
export function readTarget(action: ActionDefinition, request: Request): Target {
  const { index, collection } = action.args;
  return {
    controller: action.controller,
    action: action.action,
    index: index === undefined ? null : readName('index', index, request.index),
    collection: collection === undefined ? null : readName('collection', collection, request.collection),
    id: readId(action, request),
    body: request.body,
  };
}

function readId({ args, readsFields }: ActionDefinition, request: Request): string | null {
  const { _id: argument } = args;
  const fields = fieldsOf(request);
  const sent = Object.hasOwn(fields, '_id') ? (fields['_id'] ?? null) : null;
  if (readsFields === true) return typeof sent === 'string' && argument !== undefined ? sent : null;
  if (argument === undefined) {
    if (sent === null || typeof sent === 'string') return null;
    throw apiErrors.invalid_argument({ name: '_id', value: showValue(sent), expected: 'a string' });
  }
  const { body } = request;
  const isInBody = sent === null && argument.inBody && body !== null && Object.hasOwn(body, '_id');
  return readName('_id', argument, isInBody ? body['_id'] : sent);
}

/** An absent name is reported after authorisation, like every other missing argument. */
function readName<T>(name: string, argument: Argument<T>, value: unknown): T | null {
  if (value === null || value === undefined) return null;
  return readArgument(name, argument, value) ?? null;
}
