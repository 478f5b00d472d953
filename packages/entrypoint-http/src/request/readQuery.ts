import { apiErrors, showValue, type MillraceError } from '@millrace/kernel';
import { decodePart } from './decodePart.js';
import { parseJson } from '@millrace/kernel';

/** Message fields that only the path, the headers or the body can set: ignored in a query string. */
const NOT_IN_QUERY = ['controller', 'action', 'headers', '__proto__'];

/**
 * Adds the arguments of a query string to the fields of a message (PROTO-23): an empty one is absent, a repeated one is
 * refused; for the memory store empty values are kept and repeated arguments become lists (MEM-6).
 * @returns the first problem
 */
export function readQuery(
  query: string,
  isMemoryStore: boolean,
  fields: Record<string, unknown>,
): MillraceError | undefined {
  let fault: MillraceError | undefined;
  const seen = new Set<string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeArgument(equals < 0 ? part : part.slice(0, equals));
    const value = decodeArgument(equals < 0 ? '' : part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      fault ??= apiErrors.invalid_request({
        problem: `malformed percent-encoding in the query string, in ${showValue(part)}`,
      });
    } else if (!NOT_IN_QUERY.includes(name)) {
      fault ??= addArgument(name, value, { isMemoryStore, seen, fields });
    }
  }
  return fault;
}

interface Reading {
  readonly isMemoryStore: boolean;
  readonly seen: Set<string>;
  readonly fields: Record<string, unknown>;
}

function addArgument(name: string, value: string, reading: Reading): MillraceError | undefined {
  const { seen, fields } = reading;
  if (name === 'jwt') {
    const problem = 'a token does not belong into the address: send it as header Authorization';
    return apiErrors.invalid_request({ problem: `argument "jwt" in the query string: ${problem}` });
  }
  if (name === 'body') {
    const problem = 'argument "body" in the query string: send it as the body of the request';
    return apiErrors.invalid_request({ problem });
  }
  // These two are fields of every message, also below /ms.
  const isMemoryArgument = reading.isMemoryStore && name !== 'metadata' && name !== 'requestId';
  if (seen.has(name)) {
    if (isMemoryArgument) return append(fields, name, value);
    const expected = 'one value: it is repeated in the query string';
    return apiErrors.invalid_argument({ name, value: 'several', expected });
  }
  seen.add(name);
  if (value === '' && !isMemoryArgument) return undefined;
  return name === 'metadata' ? readMetadata(value, fields) : void (fields[name] = value);
}

function append(fields: Record<string, unknown>, name: string, value: string): undefined {
  const known = fields[name];
  if (Array.isArray(known)) known.push(value);
  else fields[name] = [known, value];
}

function readMetadata(text: string, fields: Record<string, unknown>): MillraceError | undefined {
  const parsed = parseJson(Buffer.from(text));
  if ('problem' in parsed) {
    return apiErrors.invalid_argument({
      name: 'metadata',
      value: showValue(text),
      expected: `a JSON object (${parsed.problem})`,
    });
  }
  fields.metadata = parsed.value;
  return undefined;
}

function decodeArgument(raw: string): string | undefined {
  return decodePart(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}
