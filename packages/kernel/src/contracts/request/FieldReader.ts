import { randomUUID } from 'node:crypto';
import { refreshArgument } from '../actions/refreshArgument.js';
import { apiErrors } from '../../errors/errors.js';
import type { MillraceError } from '../../errors/MillraceError.js';
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import { showValue } from '../../errors/showValue.js';

/** The fields of a message before any check, from JSON.parse or built by an entrypoint. */
export type RequestFields = Readonly<Record<string, unknown>>;

const REFRESH = refreshArgument();
// Printable ASCII: the id is returned in an HTTP header, as an event name and in an MQTT payload.
const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;
/** At the start of an Authorization header. */
const SCHEME = /^[!#$%&'*+^_`|~0-9A-Za-z-]+(?=\s|$)/;

/** Checks known fields of a message and stores the first problem. Inherited values count as absent. */
export class FieldReader {
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

/**
 * The token of an Authorization header (SEC-52): null if the header has another scheme, such as `Basic` for a proxy.
 * Empty if no token follows `Bearer` (any case), or if the header has no scheme, such as a token alone: an empty token
 * counts as presented, and is refused with 401.
 */
function bearerToken(authorization: string): string | null {
  const scheme = SCHEME.exec(authorization.trim())?.[0];
  if (scheme === undefined) return '';
  return scheme.toLowerCase() === 'bearer' ? authorization.trim().slice(scheme.length).trim() : null;
}
