import { schema, type ActionDefinition, type JsonObject } from '@millrace/kernel';
import { ENVELOPE, ERROR } from './ENVELOPE.js';

const NULL: JsonObject = { type: 'null' };

/** The envelope with some members narrowed. Type generators need their `required` list repeated. */
function envelope(members: Readonly<Record<string, JsonObject>>): JsonObject {
  const required = Object.keys(members);
  return { allOf: [ENVELOPE, { type: 'object', required, properties: members }] };
}

/** The response of a successful request: status 200. */
export function successOf({ result = schema.any }: ActionDefinition): JsonObject {
  return envelope({ status: { const: 200 }, error: NULL, result });
}

/** Status 206: some items failed and are listed in `error.details`. */
export function partialSuccessOf({ result = schema.any }: ActionDefinition): JsonObject {
  const error = { allOf: [ERROR, { required: ['details'] }] };
  return envelope({ status: { const: 206 }, error, result });
}

/** Status 302: the client continues at the location (SEC-63). */
export function redirect(): JsonObject {
  const { text, object } = schema;
  const headers = object({ 'Content-Length': text, Location: text });
  const result = object({ headers, statusCode: { const: 302 } }, { state: text, stateSecret: text });
  return envelope({ status: { const: 302 }, error: NULL, result });
}

/**
 * The response of a failed request.
 * @param ids possible error ids; absent: any
 */
export function failure(status: number | undefined, ids: JsonObject = schema.text): JsonObject {
  const code = status === undefined ? { type: 'integer', minimum: 400 } : { const: status };
  const error = { allOf: [ERROR, { type: 'object', properties: { id: ids, status: code } }] };
  // A refused specification is returned as the result (VALID-43), and plugins may return one too.
  const result = status === undefined || status === 400 ? schema.any : NULL;
  return envelope({ status: code, error, result });
}
