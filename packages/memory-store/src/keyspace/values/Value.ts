import type { HashValue, SetValue } from './collections.js';
import type { ByteBuffer } from './ByteBuffer.js';
import type { ListValue } from './ListValue.js';
import type { SortedSet } from './SortedSet.js';
import type { StreamValue } from './StreamValue.js';

/** A value with several parts. Removed with its last part, except for streams. */
export type Collection = ListValue | SetValue | HashValue | SortedSet | StreamValue;

/** The value of a key; a string is a byte string, or bytes that are written in place. */
export type Value = string | ByteBuffer | Collection;

/** The name that the command `type` returns. */
export function typeOf(value: Value): string {
  return typeof value === 'string' ? 'string' : value.type;
}

/** Estimated bytes. */
export function sizeOf(value: Value): number {
  return typeof value === 'string' ? value.length + 24 : value.bytes;
}
