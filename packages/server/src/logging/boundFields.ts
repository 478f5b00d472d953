import { stdSerializers } from 'pino';

/*
 * Bounds every log line: names, ids and addresses in it often come from requests, and 1 MB of junk per refused
 * request once filled the disk that holds the data. Values are cut here rather than at each log call, so that no call
 * can omit it.
 */

/** For values that may come from a client: names have at most 64 characters, ids 512 bytes. */
const MAX_VALUE = 128;

/** For messages, stacks, and values of the server itself such as paths. */
const MAX_TEXT = 4_096;

/** Fields that contain a message or a configured value. */
const TEXTS: ReadonlySet<string> = new Set([
  'dataDir',
  'message',
  'path',
  'problem',
  'reason',
  'remedy',
  'stack',
  'url',
]);

const MAX_DEPTH = 4;
const MAX_MEMBERS = 32;

/**
 * Returns the fields of a log line with every value cut to its bound; errors become objects with `type`, `message`
 * and `stack`.
 */
export function boundFields(fields: object): Record<string, unknown> {
  return boundMembers(fields, 0);
}

/** Returns a message cut to its bound. */
export function boundMessage(message: string): string {
  return cut(message, MAX_TEXT);
}

function boundMembers(value: object, depth: number): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  let count = 0;
  // Not `Object.entries`: an object from a client may have a million members.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (++count > MAX_MEMBERS) {
      bound['…'] = 'more';
      break;
    }
    const member: unknown = (value as Record<string, unknown>)[name];
    bound[cut(name, MAX_VALUE)] = boundValue(member, TEXTS.has(name) ? MAX_TEXT : MAX_VALUE, depth);
  }
  return bound;
}

function boundValue(value: unknown, maxLength: number, depth: number): unknown {
  if (typeof value === 'string') return cut(value, maxLength);
  if (typeof value === 'bigint') return cut(value.toString(), maxLength);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Error) return boundMembers(stdSerializers.err(value), depth + 1);
  if (!Array.isArray(value)) return boundMembers(value, depth + 1);
  const items: unknown[] = value.slice(0, MAX_MEMBERS).map((item) => boundValue(item, maxLength, depth + 1));
  return value.length > MAX_MEMBERS ? [...items, `… ${value.length - MAX_MEMBERS} more`] : items;
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length} characters)`;
}
