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
  const requestId = reader.requestId();
  const controller = reader.text('controller') ?? '';
  const action = reader.text('action') ?? '';
  reader.refresh();
  const headers = reader.object('headers');
  return new Request(
    requestId,
    controller,
    action,
    reader.text('index'),
    reader.text('collection'),
    reader.object('body'),
    reader.object('metadata') ?? NO_METADATA,
    reader.token(headers),
    headers,
    fields,
    connection,
    reader.fault,
    bytes,
  );
}

/** Reads known fields of a message and stores the first problem. */
class FieldReader {
  constructor(
    private readonly fields: RequestFields,
    public fault: MillraceError | null,
  ) {}

  requestId(): string {
    const value = this.own('requestId');
    if (value === undefined || value === null) return randomUUID();
    if (typeof value === 'string' && REQUEST_ID.test(value)) return value;
    this.refuse('requestId', value, '1 to 128 printable ASCII characters');
    return randomUUID();
  }

  text(name: string): string | null {
    const value = this.own(name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    this.refuse(name, value, 'a string');
    return null;
  }

  /** Used by write actions only; an invalid value is refused for every action. */
  refresh(): void {
    const value = this.own('refresh');
    if (value === undefined || value === null || REFRESH.parse(value) !== undefined) return;
    this.refuse('refresh', value, REFRESH.expected);
  }

  object(name: string): JsonObject | null {
    const value = this.own(name);
    if (value === undefined || value === null) return null;
    if (isJsonObject(value)) return value;
    this.refuse(name, value, 'a JSON object');
    return null;
  }

  token(headers: JsonObject | null): string | null {
    const jwt = this.text('jwt');
    if (jwt !== null) return jwt;
    if (headers === null || !Object.hasOwn(headers, 'authorization')) return null;
    const authorization = headers.authorization;
    if (authorization === null || authorization === undefined) return null;
    return typeof authorization === 'string' ? bearerToken(authorization) : '';
  }

  private own(name: string): unknown {
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
  }

  private refuse(name: string, value: unknown, expected: string): void {
    this.fault ??= apiErrors.invalid_argument({ name, value: showValue(value), expected });
  }
}
