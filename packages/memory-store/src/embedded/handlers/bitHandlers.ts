import { failure, SYNTAX_ERROR } from '../failure.js';
import type { Keyspace } from '../Keyspace.js';
import type { Reply } from '../Reply.js';
import { ByteBuffer } from '../values/ByteBuffer.js';
import { integerAt, toRange, wordAt } from '../words.js';
import { assertLength, writableBytes } from './stringHandlers.js';
import type { Handlers } from './Handlers.js';

const BAD_OFFSET = 'ERR bit offset is not an integer or out of range';
const BAD_BIT = 'ERR bit is not an integer or out of range';

/** Commands on bits that only read (memory-store.md 2.2). */
export const bitReaders: Handlers = { GETBIT: getBit, BITCOUNT: countBits, BITPOS: findBit };

/** Commands on bits that write. */
export const bitWriters: Handlers = { SETBIT: setBit, BITOP: combine };

/** The bytes of a string, to be read. */
export function readableBytes(db: Keyspace, key: string): Buffer | undefined {
  const text = db.string(key);
  if (text === undefined) return undefined;
  const value = db.find(key)?.value;
  return value instanceof ByteBuffer ? value.content : Buffer.from(text, 'latin1');
}

/** @throws for an offset past the longest string */
export function bitOffsetAt(db: Keyspace, args: readonly string[], at: number): number {
  const offset = integerAt(args, at, BAD_OFFSET);
  if (offset < 0 || offset >= db.maxValueBytes * 8) throw failure(BAD_OFFSET);
  return offset;
}

function getBit(db: Keyspace, args: readonly string[]): Reply {
  const offset = integerAt(args, 1, BAD_OFFSET);
  if (offset < 0 || offset >= 2 ** 32) throw failure(BAD_OFFSET);
  return bitAt(readableBytes(db, wordAt(args, 0)) ?? Buffer.alloc(0), offset);
}

function bitAt(bytes: Buffer, offset: number): number {
  return ((bytes[Math.floor(offset / 8)] ?? 0) >> (7 - (offset % 8))) & 1;
}

function setBit(db: Keyspace, args: readonly string[]): Reply {
  const key = wordAt(args, 0);
  const offset = bitOffsetAt(db, args, 1);
  const bit = wordAt(args, 2);
  if (bit !== '0' && bit !== '1') throw failure(BAD_BIT);
  const at = Math.floor(offset / 8);
  const { content } = writableBytes(db, key, at + 1);
  const old = bitAt(content, offset);
  const mask = 1 << (7 - (offset % 8));
  content[at] = bit === '1' ? (content[at] ?? 0) | mask : (content[at] ?? 0) & ~mask;
  db.changed(key);
  return old;
}

function readUnit(word: string | undefined): boolean {
  const unit = word?.toUpperCase() ?? 'BYTE';
  if (unit !== 'BYTE' && unit !== 'BIT') throw failure(SYNTAX_ERROR);
  return unit === 'BIT';
}

function countBits(db: Keyspace, args: readonly string[]): Reply {
  if (args.length === 2 || args.length > 4) throw failure(SYNTAX_ERROR);
  const bytes = readableBytes(db, wordAt(args, 0));
  const isBit = readUnit(args[3]);
  if (args.length === 1) return bytes === undefined ? 0 : countOnes(bytes, 0, bytes.length * 8 - 1);
  const [start, end] = [integerAt(args, 1), integerAt(args, 2)];
  if (bytes === undefined) return 0;
  const scale = isBit ? 1 : 8;
  // Two negative ends in the wrong order are empty here, though not in BITPOS.
  if (start < 0 && end < 0 && start > end) return 0;
  const [first, last] = bitRange(start, end, bytes.length * (isBit ? 8 : 1));
  return first > last ? 0 : countOnes(bytes, first * scale, last * scale + scale - 1);
}

/** As the bit commands read a range: negative ends stop at the start. */
function bitRange(start: number, end: number, size: number): [number, number] {
  const [first, last] = toRange(start, end, size);
  return [first, Math.max(last, 0)];
}

function countOnes(bytes: Buffer, first: number, last: number): number {
  let count = 0;
  for (let at = first >> 3; at <= last >> 3; at++) {
    let byte = bytes[at] ?? 0;
    if (at === first >> 3) byte &= 0xff >> (first & 7);
    if (at === last >> 3) byte &= 0xff << (7 - (last & 7));
    byte -= (byte >> 1) & 0x55;
    byte = (byte & 0x33) + ((byte >> 2) & 0x33);
    count += (byte + (byte >> 4)) & 0x0f;
  }
  return count;
}

function findBit(db: Keyspace, args: readonly string[]): Reply {
  const bit = wordAt(args, 1);
  if (bit !== '0' && bit !== '1') throw failure('ERR The bit argument must be 1 or 0.');
  const bytes = readableBytes(db, wordAt(args, 0));
  const isBit = readUnit(args[4]);
  const start = args.length > 2 ? integerAt(args, 2) : 0;
  const hasEnd = args.length > 3;
  const end = hasEnd ? integerAt(args, 3) : -1;
  if (bytes === undefined) return bit === '1' ? -1 : 0;
  const [first, last] = bitRange(start, end, bytes.length * (isBit ? 8 : 1));
  if (first > last || bytes.length === 0) return -1;
  const scale = isBit ? 1 : 8;
  const wanted = Number(bit);
  const [from, to] = [first * scale, last * scale + scale - 1];
  const skipped = wanted === 1 ? 0x00 : 0xff;
  for (let at = from; at <= to; at++) {
    if ((at & 7) === 0 && at + 7 <= to && bytes[at >> 3] === skipped) at += 7;
    else if (bitAt(bytes, at) === wanted) return at;
  }
  // Zeros go on behind the end of a string, unless the caller set the end.
  return wanted === 0 && !hasEnd ? bytes.length * 8 : -1;
}

function combine(db: Keyspace, args: readonly string[]): Reply {
  const operation = wordAt(args, 0).toUpperCase();
  const [destination, keys] = [wordAt(args, 1), args.slice(2)];
  if (!['AND', 'OR', 'XOR', 'NOT'].includes(operation)) throw failure(SYNTAX_ERROR);
  if (operation === 'NOT' && keys.length !== 1)
    throw failure('ERR BITOP NOT must be called with a single source key.');
  const sources = keys.map((key) => readableBytes(db, key) ?? Buffer.alloc(0));
  const length = Math.max(...sources.map((source) => source.length), 0);
  assertLength(db, length);
  if (length === 0) {
    db.delete(destination);
    return 0;
  }
  const result = Buffer.alloc(length);
  sources[0]?.copy(result);
  if (operation === 'NOT') for (let at = 0; at < length; at++) result[at] = ~(result[at] ?? 0);
  for (const source of sources.slice(1)) {
    for (let at = 0; at < length; at++) {
      const [left, right] = [result[at] ?? 0, source[at] ?? 0];
      result[at] = operation === 'AND' ? left & right : operation === 'OR' ? left | right : left ^ right; // prettier-ignore
    }
  }
  db.set(destination, result.toString('latin1'));
  return length;
}
