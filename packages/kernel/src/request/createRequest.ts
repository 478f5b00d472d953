import { randomUUID } from 'node:crypto';
import type { Connection } from '../contracts/protocol/Protocol.js';
import { apiErrors } from '../errors/errors.js';
import type { MillraceError } from '../errors/MillraceError.js';
import { isJsonObject, type JsonObject } from '../json/Json.js';
import { refreshArgument } from '../actions/refreshArgument.js';
import { bearerToken } from './bearerToken.js';
import { NO_METADATA, Request } from './Request.js';
import { showValue } from './showValue.js';

/** The fields of a message before any check, from JSON.parse or built by an entrypoint. */
export type RequestFields = Readonly<Record<string, unknown>>;

const REFRESH = refreshArgument();
// Printable ASCII: the id is returned in an HTTP header, as an event name and in an MQTT payload.
const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/**
 * Creates a request from message fields. Never throws: the first problem is stored as `fault`, and well-formed fields
 * can still be echoed in the answer.
 * @param fault an earlier problem; it takes precedence over problems found here
 * @param bytes approximate memory used by the fields (`ParsedJson.bytes`): counted while the request waits and runs
 */
export function createRequest(
  fields: RequestFields,
  connection: Connection,
  fault?: MillraceError | null,
  bytes = 0,
): Request {
  // A plugin in JavaScript has no compiler that would reject this.
  if (!isJsonObject(fields)) {
    const problem = 'the fields of a message must be an object';
    return createRequest({}, connection, fault ?? apiErrors.invalid_request({ problem }));
  }
  const reader = new FieldReader(fields, fault ?? null);
  // Each field by its name in the source: a loop over names was measured to cost three times as much.
  const requestId = reader.requestId(fields['requestId']);
  const controller = reader.text('controller', fields['controller']) ?? '';
  const action = reader.text('action', fields['action']) ?? '';
  reader.refresh(fields['refresh']);
  const headers = reader.object('headers', fields['headers']);
  return new Request(
    requestId,
    controller,
    action,
    reader.text('index', fields['index']),
    reader.text('collection', fields['collection']),
    reader.object('body', fields['body']),
    reader.object('metadata', fields['metadata']) ?? NO_METADATA,
    reader.token(fields['jwt'], headers),
    headers,
    fields,
    connection,
    reader.fault,
    bytes,
  );
}

/** Checks known fields of a message and stores the first problem. Inherited values count as absent. */
class FieldReader {
  constructor(
    private readonly fields: RequestFields,
    public fault: MillraceError | null,
  ) {}

  requestId(value: unknown): string {
    if (this.isAbsent('requestId', value)) return randomUUID();
    if (typeof value === 'string' && REQUEST_ID.test(value)) return value;
    this.refuse('requestId', value, '1 to 128 printable ASCII characters');
    return randomUUID();
  }

  text(name: string, value: unknown): string | null {
    if (this.isAbsent(name, value)) return null;
    if (typeof value === 'string') return value;
    this.refuse(name, value, 'a string');
    return null;
  }

  /** Used by write actions only; an invalid value is refused for every action. */
  refresh(value: unknown): void {
    if (this.isAbsent('refresh', value) || REFRESH.parse(value) !== undefined) return;
    this.refuse('refresh', value, REFRESH.expected);
  }

  object(name: string, value: unknown): JsonObject | null {
    if (this.isAbsent(name, value)) return null;
    if (isJsonObject(value)) return value;
    this.refuse(name, value, 'a JSON object');
    return null;
  }

  token(value: unknown, headers: JsonObject | null): string | null {
    const jwt = this.text('jwt', value);
    if (jwt !== null) return jwt;
    if (headers === null || !Object.hasOwn(headers, 'authorization')) return null;
    const authorization = headers.authorization;
    if (authorization === null || authorization === undefined) return null;
    return typeof authorization === 'string' ? bearerToken(authorization) : '';
  }

  private isAbsent(name: string, value: unknown): boolean {
    return value === undefined || value === null || !Object.hasOwn(this.fields, name);
  }

  private refuse(name: string, value: unknown, expected: string): void {
    this.fault ??= apiErrors.invalid_argument({ name, value: showValue(value), expected });
  }
}
