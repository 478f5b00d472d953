import { apiErrors } from '../errors/errors.js';
import type { MillraceError } from '../errors/MillraceError.js';
import { isJsonObject } from '../json/Json.js';
import { outermostTexts } from '../json/outermostTexts.js';
import { parseJson } from '../json/parseJson.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';

/** A message of a protocol as fields for `createRequest`, with its problem if it has one. */
export interface DecodedMessage {
  readonly fields: RequestFields;
  readonly fault?: MillraceError;
  /** Approximate memory used by the fields; absent or 0: little. For `createRequest`. */
  readonly bytes?: number;
}

/**
 * Decodes a message that is one JSON object in UTF-8 (PROTO-3). Never throws.
 * @param isKnownUtf8 true if the encoding has been checked, as WebSocket libraries do for text messages
 * @returns the fields, or none with the fault `api.malformed_json` or `api.invalid_request` (400); for a message that
 *   is nested too deeply, the strings at its top level, so that the answer can be matched to it
 */
export function decodeMessage(bytes: Buffer, isKnownUtf8 = false): DecodedMessage {
  const parsed = parseJson(bytes, isKnownUtf8);
  if ('problem' in parsed) {
    const { problem, isLimit } = parsed;
    if (!isLimit) return { fields: {}, fault: apiErrors.malformed_json({ problem }) };
    const refusal = `the message can't be taken: ${problem}`;
    // The answer carries the sender's own `requestId`.
    return {
      fields: outermostTexts(bytes),
      fault: apiErrors.invalid_request({ problem: refusal }),
    };
  }
  if (isJsonObject(parsed.value)) return { fields: parsed.value, bytes: parsed.bytes };
  const kind = Array.isArray(parsed.value) ? 'an array' : showKind(parsed.value);
  const problem = `a message must be one JSON object, it is ${kind}`;
  return { fields: {}, fault: apiErrors.invalid_request({ problem }) };
}

function showKind(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
