import type { MemoryArgument } from '@millrace/kernel';
import { failure, NOT_AN_INTEGER, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { asBigInteger, toReply, wordAt } from '../keyspace/words.js';
import { mapInSteps, type Steps } from '../steps/Steps.js';
import { text } from './ArgumentKind.js';
import { top } from './argumentsAt.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { assertBitOffset, BAD_OFFSET, readableBytes } from './bits.js';
import { family, readsWhole, writesWhole } from './Command.js';
import { invalid, missing, toList, toWord, type CommandPart } from './CommandPart.js';
import { writableBytes } from './strings.js';

const BAD_TYPE = 'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.';

type Overflow = 'WRAP' | 'SAT' | 'FAIL';

interface Operation {
  readonly kind: 'GET' | 'SET' | 'INCRBY';
  readonly isSigned: boolean;
  readonly width: number;
  /** In bits. */
  readonly offset: number;
  readonly amount: bigint;
  readonly overflow: Overflow;
}

const key = top.key();

/** Commands on integers of any width in strings. */
export const bitfields = family({
  bitfield: writesWhole(
    'Reads and writes integers of any width.',
    [key, operations('body')],
    'integersOrNulls',
    (db, args) => run(db, wordAt(args, 0), readOperations(db, args.slice(1))),
  ),
  bitfield_ro: readsWhole(
    'Reads integers of any width.',
    [key, operations('top')],
    'integersOrNulls',
    { paths: ['/:_id'] },
    (db, args) => {
      const operations = readOperations(db, args.slice(1));
      if (operations.some(({ kind }) => kind !== 'GET'))
        throw failure('ERR BITFIELD_RO only supports the GET subcommand');
      return run(db, wordAt(args, 0), operations);
    },
  ),
});

/** `operations`: a flat list or a list of lists of words. */
function operations(home: Home): CommandPart {
  const expected = 'a list such as [["INCRBY", "u2", 100, 1]]';
  return {
    args: [{ name: 'operations', home, kind: { expected, schema: { type: 'array' } }, isRequired: true }],
    append: (source, words) => {
      const given = source.read('operations', home);
      if (given === undefined) throw missing('operations', expected);
      const flat = toList(given).flatMap((item) => toList(item ?? undefined));
      if (flat.length === 0) throw invalid('operations', expected, given);
      const own: MemoryArgument[] = flat.map((item) => toWord('operations', text, item));
      assertOffsets(own, source);
      words.push(...own);
    },
  };
}

/**
 * Checks the offsets of write operations: `<SET|INCRBY> <type> <offset>`, the offset in bits or `#` times the width.
 */
function assertOffsets(words: readonly MemoryArgument[], source: ArgumentSource): void {
  for (let at = 0; at + 2 < words.length; at++) {
    if (!/^(set|incrby)$/i.test(String(words[at]))) continue;
    const [, width = ''] = /^[iu](\d{1,3})$/i.exec(String(words[at + 1])) ?? [];
    const [, hash = '', offset = ''] = /^(#?)(\d+)$/.exec(String(words[at + 2])) ?? [];
    if (width === '' || offset === '') continue;
    const first = Number(offset) * (hash === '' ? 1 : Number(width));
    assertBitOffset(first + Number(width) - 1, source);
  }
}

function readOperations(db: Keyspace, words: readonly string[]): readonly Operation[] {
  const operations: Operation[] = [];
  let overflow: Overflow = 'WRAP';
  for (let at = 0; at < words.length;) {
    const kind = wordAt(words, at).toUpperCase();
    if (kind === 'OVERFLOW') {
      overflow = readOverflow(wordAt(words, at + 1));
      at += 2;
      continue;
    }
    if (kind !== 'GET' && kind !== 'SET' && kind !== 'INCRBY') throw failure(SYNTAX_ERROR);
    const { isSigned, width } = readType(wordAt(words, at + 1));
    const offset = readOffset(db, wordAt(words, at + 2), width);
    const amount = kind === 'GET' ? 0n : asBigInteger(wordAt(words, at + 3));
    if (amount === undefined) throw failure(NOT_AN_INTEGER);
    operations.push({ kind, isSigned, width, offset, amount, overflow });
    at += kind === 'GET' ? 3 : 4;
  }
  return operations;
}

function readOverflow(word: string): Overflow {
  const overflow = word.toUpperCase();
  if (overflow === 'WRAP' || overflow === 'SAT' || overflow === 'FAIL') return overflow;
  throw failure('ERR Invalid OVERFLOW type specified');
}

function readType(word: string) {
  const [, sign = '', digits = ''] = /^([iu])(\d{1,2})$/.exec(word) ?? [];
  const width = Number(digits);
  if (sign === '' || width < 1 || width > (sign === 'i' ? 64 : 63)) throw failure(BAD_TYPE);
  return { isSigned: sign === 'i', width };
}

function readOffset(db: Keyspace, word: string, width: number): number {
  const [, hash = '', digits = ''] = /^(#?)(\d{1,12})$/.exec(word) ?? [];
  const offset = Number(digits) * (hash === '' ? 1 : width);
  if (digits === '' || offset + width - 1 >= db.maxValueBytes * 8) throw failure(BAD_OFFSET);
  return offset;
}

function* run(db: Keyspace, key: string, operations: readonly Operation[]): Steps<Reply> {
  const writes = operations.filter(({ kind }) => kind !== 'GET');
  if (writes.length === 0) {
    const bytes = readableBytes(db, key) ?? Buffer.alloc(0);
    return yield* mapInSteps(operations, (operation) => toReply(readBits(bytes, operation)));
  }
  const bits = writes.reduce((most, { offset, width }) => Math.max(most, offset + width), 0);
  const { content } = writableBytes(db, key, Math.ceil(bits / 8));
  const replies = yield* mapInSteps(operations, (operation) => {
    const old = readBits(content, operation);
    if (operation.kind === 'GET') return toReply(old);
    const wanted = operation.kind === 'SET' ? newValue(operation) : old + operation.amount;
    const fitted = fit(wanted, operation);
    if (fitted === undefined) return null;
    writeBits(content, operation, fitted);
    return toReply(operation.kind === 'SET' ? old : fitted);
  });
  db.changed(key);
  return replies;
}

/** Redis parses the new value of an unsigned field as 64 unsigned bits. */
function newValue({ isSigned, amount }: Operation): bigint {
  return isSigned ? amount : BigInt.asUintN(64, amount);
}

/** The value within its width, according to the overflow rule; undefined: not written. */
function fit(value: bigint, { isSigned, width, overflow }: Operation): bigint | undefined {
  const bits = BigInt(width);
  const [low, high] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  if (value >= low && value <= high) return value;
  if (overflow === 'FAIL') return undefined;
  if (overflow === 'SAT') return value > high ? high : low;
  return isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
}

function readBits(bytes: Buffer, { offset, width, isSigned }: Operation): bigint {
  let value = 0n;
  const last = offset + width - 1;
  for (let at = offset >> 3; at <= last >> 3; at++) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  value = BigInt.asUintN(width, value >> BigInt(7 - (last & 7)));
  return isSigned ? BigInt.asIntN(width, value) : value;
}

function writeBits(bytes: Buffer, { offset, width }: Operation, value: bigint): void {
  let rest = BigInt.asUintN(width, value);
  for (let at = offset + width - 1; at >= offset; at--, rest >>= 1n) {
    const mask = 1 << (7 - (at & 7));
    const byte = bytes[at >> 3] ?? 0;
    bytes[at >> 3] = (rest & 1n) === 1n ? byte | mask : byte & ~mask;
  }
}
