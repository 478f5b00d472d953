import {
  apiErrors,
  isJsonObject,
  MillraceError,
  parseJson,
  type JsonObject,
  type JsonProblem,
  type JsonValue,
} from '@millrace/kernel';

const UTF8_NAMES = ['utf-8', 'utf8'];
const FORM_TYPE = 'application/x-www-form-urlencoded';
const LINES_TYPE = 'application/x-ndjson';

/** The headers that describe a body. */
export interface BodyHeaders {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/** True for the body of an HTML form. */
export function isForm(headers: BodyHeaders): boolean {
  return typeOf(headers) === FORM_TYPE;
}

/** True for a body with one JSON value per line. */
export function isLines(headers: BodyHeaders): boolean {
  return typeOf(headers) === LINES_TYPE;
}

function typeOf({ 'content-type': contentType = '' }: BodyHeaders): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/** Body types that some actions accept in addition to JSON. */
export interface TakenTypes {
  /** HTML forms. */
  readonly takesForm?: boolean;
  /** One JSON value per line. */
  readonly takesLines?: boolean;
}

/**
 * Checks the declared type of a body (PROTO-21).
 * @returns api.unsupported_media_type (415), or api.invalid_request (400) for another charset
 */
export function refusedMediaType(
  headers: BodyHeaders,
  { takesForm = false, takesLines = false }: TakenTypes = {},
): MillraceError | undefined {
  const expected = takesLines ? `application/json or ${LINES_TYPE}` : 'application/json';
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    const contentType = `${headers['content-type'] ?? ''} (content-encoding: ${encoding})`.trim();
    return apiErrors.unsupported_media_type({ contentType, expected });
  }
  const contentType = headers['content-type'];
  if (contentType === 'application/json') return undefined;
  // Browsers send such a body, from a Blob, across origins without a preflight request.
  if (contentType === undefined) return apiErrors.unsupported_media_type({ contentType: '', expected });
  const [type = '', ...parameters] = contentType.split(';');
  const isTaken =
    type.trim().toLowerCase() === 'application/json' ||
    (takesForm && isForm(headers)) ||
    (takesLines && isLines(headers));
  if (!isTaken) {
    return apiErrors.unsupported_media_type({ contentType: contentType.slice(0, 200), expected });
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'charset') continue;
    const charset = value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
    if (UTF8_NAMES.includes(charset)) continue;
    const problem = `charset ${JSON.stringify(charset.slice(0, 60))} is not supported: expected utf-8`;
    return apiErrors.invalid_request({ problem });
  }
  return undefined;
}

/** A body as a JSON object and the approximate memory used by it. */
export interface ParsedBody {
  readonly body: JsonObject | null;
  readonly bytes: number;
}

/**
 * The JSON object in a body; a JSON `null` counts as absent.
 * @returns api.malformed_json or api.invalid_request (400)
 */
export function parseBody(bytes: Buffer): ParsedBody | MillraceError {
  const parsed = parseJson(bytes);
  if ('problem' in parsed) return faultOfJson(parsed);
  const body = toBody(parsed.value);
  return body instanceof MillraceError ? body : { body, bytes: parsed.bytes };
}

/** @returns api.malformed_json, or api.invalid_request if it exceeds a limit (400) */
export function faultOfJson({ problem, isLimit }: JsonProblem): MillraceError {
  if (!isLimit) return apiErrors.malformed_json({ problem });
  return apiErrors.invalid_request({ problem: `the body can't be taken: ${problem}` });
}

/** @returns api.invalid_request (400) for a value that is no object */
export function toBody(value: JsonValue): JsonObject | null | MillraceError {
  if (value === null || isJsonObject(value)) return value;
  const kind = Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return apiErrors.invalid_request({ problem: `the body must be a JSON object, it is ${kind}` });
}
