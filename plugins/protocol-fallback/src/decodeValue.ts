import { apiErrors, isJsonObject, showValue, type DecodedMessage, type JsonObject } from '@millrace/kernel';

/*
 * socket.io has already parsed the JSON, without the limits of other protocols on depth and on numbers beyond
 * doubles, and it inserts binary attachments as buffers. So the value is walked once, without recursion because its
 * depth isn't known yet, and its size is estimated on the way.
 */
const MAX_DEPTH = 200;
// Brackets, quotes, commas: a rough number is sufficient to bound memory.
const BYTES_PER_VALUE = 16;
// Of an object in addition, as `weighJson` counts it.
const OBJECT_BYTES = 48;

const ECHOED_NAMES = ['requestId', 'controller', 'action', 'index', 'collection'];

/** Event names reserved by socket.io: a response can't use them (PROTO-56). */
const RESERVED_EVENTS: ReadonlySet<string> = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
]);

/** A message as fields for `createRequest`, and its approximate memory. */
export interface DecodedValue extends DecodedMessage {
  readonly bytes: number;
}

/** Validates a message parsed by socket.io. Never throws. */
export function decodeValue(value: unknown): DecodedValue {
  const { problem, bytes } = inspect(value);
  if (!isJsonObject(value)) {
    return { ...refused(`a message must be one JSON object, it is ${showKind(value)}`), bytes };
  }
  const decoded: DecodedMessage =
    problem === undefined
      ? { fields: value }
      : { ...refused(`the message can't be taken: ${problem}`), fields: textsOf(value) };
  return { ...withoutReserved(decoded), bytes };
}

function refused(problem: string): DecodedMessage {
  return { fields: {}, fault: apiErrors.invalid_request({ problem }) };
}

/**
 * The string fields of a refused message that its response repeats, above all `requestId`: the sender waits for that
 * event.
 */
function textsOf(value: JsonObject): DecodedMessage['fields'] {
  const names = ECHOED_NAMES.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.flatMap((name) => (typeof value[name] === 'string' ? [[name, value[name]]] : [])));
}

function withoutReserved(decoded: DecodedMessage): DecodedMessage {
  const requestId = Object.hasOwn(decoded.fields, 'requestId') ? decoded.fields['requestId'] : null;
  if (typeof requestId !== 'string' || !RESERVED_EVENTS.has(requestId)) return decoded;
  const expected = 'a name that socket.io does not reserve';
  const shown = showValue(requestId);
  const fault = apiErrors.invalid_argument({ name: 'requestId', value: shown, expected });
  return { fields: { ...decoded.fields, requestId: null }, fault: decoded.fault ?? fault };
}

function showKind(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value === undefined) return 'absent';
  return value === null ? 'null' : `a ${typeof value}`;
}

interface Inspection {
  readonly problem?: string;
  readonly bytes: number;
}

/** Walks level by level: the list of a level contains the members of the objects and arrays of the previous one. */
function inspect(root: unknown): Inspection {
  let level: unknown[] = [root];
  let bytes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      bytes += BYTES_PER_VALUE;
      if (typeof value === 'string') bytes += value.length;
      if (typeof value === 'number' && !Number.isFinite(value)) {
        return { problem: 'it has a number beyond ±1.8e308, the range of doubles', bytes };
      }
      if (typeof value !== 'object' || value === null) continue;
      if (depth >= MAX_DEPTH) {
        return { problem: `it is nested deeper than ${MAX_DEPTH} levels`, bytes };
      }
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
        return { problem: 'it has binary attachments: send JSON', bytes };
      }
      bytes += OBJECT_BYTES;
      if (Array.isArray(value)) for (const item of value) next.push(item);
      else {
        for (const [key, item] of Object.entries(value)) {
          bytes += key.length;
          next.push(item);
        }
      }
    }
    level = next;
  }
  return { bytes };
}
