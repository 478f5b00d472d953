import type { Connection } from '../contracts/request/Connection.js';
import { apiErrors } from '../errors/errors.js';
import type { MillraceError } from '../errors/MillraceError.js';
import { isJsonObject } from '../json/Json.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import { Request } from '../contracts/request/Request.js';

/**
 * Creates a request from message fields. Never throws: the first problem is stored as `fault`, and well-formed fields
 * can still be echoed in the answer.
 * @param fault an earlier problem; it takes precedence over problems found here
 * @param bytes approximate memory used by the fields (`ParsedJson.bytes`): counted while the request waits and runs
 */
export function createRequest(
  fields: RequestFields,
  connection: Connection,
  fault: MillraceError | null = null,
  bytes = 0,
): Request {
  if (isJsonObject(fields)) return new Request(fields, connection, fault, bytes);
  // A plugin in JavaScript has no compiler that would reject this.
  const problem = 'the fields of a message must be an object';
  return new Request({}, connection, fault ?? apiErrors.invalid_request({ problem }));
}
