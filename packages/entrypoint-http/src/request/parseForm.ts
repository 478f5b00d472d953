import { apiErrors, showValue, type JsonObject, type MillraceError } from '@millrace/kernel';
import { decodePart } from './decodePart.js';

const MAX_FIELDS = 100;

/**
 * The fields of an HTML form (`application/x-www-form-urlencoded`), each a string. Errors never contain values: they
 * are credentials.
 * @returns api.invalid_request (400) for bytes that are no UTF-8, malformed percent-encoding, a repeated field
 */
export function parseForm(bytes: Buffer): JsonObject | MillraceError {
  const fields = new Map<string, string>();
  for (const part of bytes.toString('latin1').split('&', MAX_FIELDS + 1)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeField(equals < 0 ? part : part.slice(0, equals));
    const value = decodeField(equals < 0 ? '' : part.slice(equals + 1));
    if (name === undefined) return refuse('the name of a field is not UTF-8, percent-encoded');
    const shown = showValue(name);
    if (value === undefined) return refuse(`field ${shown} is not UTF-8, percent-encoded`);
    if (fields.has(name)) return refuse(`field ${shown} is repeated`);
    fields.set(name, value);
  }
  if (fields.size > MAX_FIELDS) return refuse(`it has more than ${MAX_FIELDS} fields`);
  // fromEntries defines keys, so that `__proto__` is plain data.
  return Object.fromEntries(fields);
}

function decodeField(raw: string): string | undefined {
  // A form percent-encodes everything beyond ASCII (WHATWG URL, section 5.2).
  if (/[^\x20-\x7e]/.test(raw)) return undefined;
  return decodePart(raw.replaceAll('+', ' '));
}

function refuse(problem: string): MillraceError {
  return apiErrors.invalid_request({ problem: `the form can't be taken: ${problem}` });
}
