import { ByteBuffer } from './values/ByteBuffer.js';
import type { Value } from './values/Value.js';
import { asBigInteger } from './words.js';

const EMBEDDED_BYTES = 44;
const SMALL_TEXT = 64;
const SMALL_HASH = 512;
const SMALL_SORTED_SET = 128;
const SMALL_INTEGERS = 512;

/** The encoding that Redis 7.0 would choose for the current value (Redis keeps a larger one once chosen). */
export function encodingOf(value: Value): string {
  if (value instanceof ByteBuffer) return 'raw';
  if (typeof value === 'string') {
    if (value.length <= 20 && asBigInteger(value) !== undefined) return 'int';
    return value.length <= EMBEDDED_BYTES ? 'embstr' : 'raw';
  }
  switch (value.type) {
    case 'list':
      return 'quicklist';
    case 'stream':
      return 'stream';
    case 'set': {
      const isSmall = value.size <= SMALL_INTEGERS;
      return isSmall && value.members.keys().every((each) => asBigInteger(each) !== undefined) ? 'intset' : 'hashtable';
    }
    case 'hash':
      return value.size <= SMALL_HASH &&
        [...value.fields.values()].every(({ key, value: text }) => isSmall(key) && isSmall(text))
        ? 'listpack'
        : 'hashtable';
    case 'zset':
      return value.size <= SMALL_SORTED_SET && [...value].every(({ member }) => isSmall(member))
        ? 'listpack'
        : 'skiplist';
  }
}

function isSmall(text: string): boolean {
  return text.length <= SMALL_TEXT;
}
