import { endOfString } from './endOfString.js';

/*
 * Depth and memory of JSON text, computed from its bytes before JSON.parse. Depth: the functions that later walk a
 * parsed value (stringify, merge, validation) are recursive, and a body of 1 MiB can have half a million levels.
 * Memory: `[{},{},…]` takes 21 times its bytes once parsed (measured on Node 20), so limiting bytes alone limits
 * nothing. One pass without recursion: quotes toggle strings, brackets count outside them. In UTF-8 no byte of a
 * multi-byte character equals one of these. The result may be wrong for text that is not JSON, which does no harm:
 * JSON.parse then refuses it.
 */
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

// Bytes of heap: an empty object takes 64 with its slot in a list, an empty array 43, a member or item at least 8.
export const OBJECT_BYTES = 48;
export const ARRAY_BYTES = 32;
export const ITEM_BYTES = 12;

/** Shorter text is neither deep nor heavy, so it is not scanned. */
const MIN_BYTES = 400;

/**
 * @param maxDepth levels of arrays and objects; at most 200
 * @param minBytes text up to this length counts as 0; 0 if many short messages arrive together
 * @returns approximate bytes of memory of the parsed value; 0 for short text; -1 if it is nested too deeply
 */
export function weighJson(bytes: Buffer, maxDepth: number, minBytes = MIN_BYTES): number {
  // Each level needs two brackets.
  if (bytes.length <= Math.min(minBytes, 2 * maxDepth)) return 0;
  let depth = 0;
  let weight = bytes.length;
  for (let position = 0; position < bytes.length; position++) {
    switch (bytes[position]) {
      case QUOTE:
        position = endOfString(bytes, position + 1);
        break;
      case COMMA:
        weight += ITEM_BYTES;
        break;
      case OPEN_ARRAY:
        weight += ARRAY_BYTES;
        if (++depth > maxDepth) return -1;
        break;
      case OPEN_OBJECT:
        weight += OBJECT_BYTES;
        if (++depth > maxDepth) return -1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      default:
    }
  }
  return weight;
}
