import { addDecimals } from '../addDecimals.js';
import { failure, NOT_A_FLOAT, NOT_AN_INTEGER, OVERFLOW, SYNTAX_ERROR } from '../failure.js';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../../answers/MAX_ANSWER_BYTES.js';
import { BYTES_PER_STEP, eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import type { Reply } from '../Reply.js';
import { ByteBuffer } from '../values/ByteBuffer.js';
import { asBigInteger, asFloat, integerAt, toRange, toReply, wordAt } from '../words.js';
import { assertAnswerable } from './assertAnswerable.js';
import { EXPIRY_FORMS, expiryTime } from './expiryTimes.js';
import type { Handlers } from './Handlers.js';
import { longestCommonSubsequence } from './longestCommonSubsequence.js';

const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

/** Read-only commands on strings. */
export const stringReaders: Handlers = {
  GET: getString,
  MGET: getSeveral,
  STRLEN: (db, args) => (db.stringValue(wordAt(args, 0)) ?? '').length,
  GETRANGE: getRange,
  SUBSTR: getRange,
  LCS: longestCommonSubsequence,
};

/** Write commands on strings. */
export const stringWriters: Handlers = {
  SET: setString,
  APPEND: append,
  *GETSET(db, args) {
    const old = db.string(wordAt(args, 0)) ?? null;
    yield* assertAnswerable(old === null ? [] : [old]);
    db.set(wordAt(args, 0), wordAt(args, 1));
    return old;
  },
  *GETDEL(db, args) {
    const old = db.string(wordAt(args, 0)) ?? null;
    yield* assertAnswerable(old === null ? [] : [old]);
    db.delete(wordAt(args, 0));
    return old;
  },
  GETEX: getAndExpire,
  *MSET(db, args) {
    yield* setPairs(db, args);
    return 'OK';
  },
  *MSETNX(db, args) {
    for (let at = 0; at < args.length; at += 2) if (db.find(wordAt(args, at))) return 0;
    yield* setPairs(db, args);
    return 1;
  },
  SETEX: (db, args) => setExpiring(db, args, 'EX', 'setex'),
  PSETEX: (db, args) => setExpiring(db, args, 'PX', 'psetex'),
  SETNX: (db, args) => {
    if (db.find(wordAt(args, 0))) return 0;
    db.set(wordAt(args, 0), wordAt(args, 1));
    return 1;
  },
  SETRANGE: setRange,
  INCR: (db, args) => increment(db, wordAt(args, 0), 1n),
  DECR: (db, args) => increment(db, wordAt(args, 0), -1n),
  INCRBY: (db, args) => increment(db, wordAt(args, 0), bigAt(args, 1)),
  DECRBY: (db, args) => {
    const amount = bigAt(args, 1);
    if (amount === MIN_INTEGER) throw failure('ERR decrement would overflow');
    return increment(db, wordAt(args, 0), -amount);
  },
  INCRBYFLOAT: (db, args) => {
    const key = wordAt(args, 0);
    const sum = addFloats(db.string(key) ?? '0', wordAt(args, 1), NOT_A_FLOAT);
    db.set(key, sum, true);
    db.effects = [['SET', key, sum, 'KEEPTTL']];
    return sum;
  },
};

/** The sum of two decimal strings. @throws the given message, or Redis's for an infinite number */
export function addFloats(current: string, amount: string, message: string): string {
  for (const [word, refusal] of [
    [current, message],
    [amount, NOT_A_FLOAT],
  ] as const) {
    const number = asFloat(word);
    if (number === undefined) throw failure(refusal);
    if (!Number.isFinite(number)) throw failure('ERR increment would produce NaN or Infinity');
  }
  return addDecimals(current, amount);
}

/** The sum of two 64-bit integers. @throws on overflow */
export function addIntegers(current: bigint, amount: bigint): bigint {
  const sum = current + amount;
  if (sum > MAX_INTEGER || sum < MIN_INTEGER) throw failure(OVERFLOW);
  return sum;
}

function bigAt(args: readonly string[], at: number): bigint {
  const number = asBigInteger(wordAt(args, at));
  if (number === undefined) throw failure(NOT_AN_INTEGER);
  return number;
}

function increment(db: Keyspace, key: string, amount: bigint): Reply {
  const current = asBigInteger(db.string(key) ?? '0');
  if (current === undefined) throw failure(NOT_AN_INTEGER);
  const sum = addIntegers(current, amount);
  db.set(key, String(sum), true);
  return toReply(sum);
}

function* setPairs(db: Keyspace, args: readonly string[]): Steps<void> {
  for (let at = 0; at < args.length; at += 2) {
    db.set(wordAt(args, at), wordAt(args, at + 1));
    if (at % ELEMENTS_PER_STEP === 0) yield;
  }
}

/** Refused before any copy if the values together are larger than any answer. */
function* getSeveral(db: Keyspace, keys: readonly string[]): Steps<Reply> {
  let bytes = 0;
  yield* eachInSteps(keys, (key) => {
    const value = db.use(key)?.value;
    if (typeof value === 'string' || value instanceof ByteBuffer) bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
  });
  return yield* mapInSteps(keys, (key) => {
    const value = db.use(key)?.value;
    if (typeof value === 'string') return value;
    return value instanceof ByteBuffer ? value.toByteText() : null;
  });
}

function getRange(db: Keyspace, args: readonly string[]): Reply {
  const value = db.stringValue(wordAt(args, 0)) ?? '';
  const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
  // Two negative ends in the wrong order are empty, whatever their positions from the start.
  if (start < 0 && stop < 0 && start > stop) return '';
  const [first, last] = toRange(start, stop, value.length);
  return first > Math.max(last, 0) ? '' : value.slice(first, Math.max(last, 0) + 1);
}

function append(db: Keyspace, args: readonly string[]): Reply {
  const [key, more] = [wordAt(args, 0), wordAt(args, 1)];
  const old = db.string(key) ?? '';
  assertLength(db, old.length + more.length);
  db.set(key, old + more, true);
  return old.length + more.length;
}

function getString(db: Keyspace, args: readonly string[]): string | null {
  const value = db.stringValue(wordAt(args, 0)) ?? null;
  if (!(value instanceof ByteBuffer)) return value;
  // Checked before its bytes are copied: with quotes it would exceed the limit of an answer.
  if (value.length + 2 > MAX_ANSWER_BYTES) throw answerTooLarge();
  return value.toByteText();
}

/** @throws if a string would be longer than allowed */
export function assertLength(db: Keyspace, length: number): void {
  if (length > db.maxValueBytes) throw failure('ERR string exceeds maximum allowed size (proto-max-bulk-len)');
}

/** The string of a key as bytes, for writing in place, extended to at least this length. */
export function writableBytes(db: Keyspace, key: string, length: number): ByteBuffer {
  const value = db.stringValue(key);
  assertLength(db, Math.max(length, value?.length ?? 0));
  if (value instanceof ByteBuffer) {
    db.willChange(key);
    value.growTo(length);
    return value;
  }
  const buffer = ByteBuffer.of(value ?? '');
  buffer.growTo(length);
  db.set(key, buffer, true);
  return buffer;
}

function setRange(db: Keyspace, args: readonly string[]): Reply {
  const [key, text] = [wordAt(args, 0), wordAt(args, 2)];
  const offset = integerAt(args, 1);
  if (offset < 0) throw failure('ERR offset is out of range');
  if (text === '') return (db.stringValue(key) ?? '').length;
  const bytes = writableBytes(db, key, offset + text.length);
  bytes.content.write(text, offset, 'latin1');
  db.changed(key);
  return bytes.length;
}

function setExpiring(db: Keyspace, args: readonly string[], unit: string, command: string): Reply {
  const form = EXPIRY_FORMS[unit] as (typeof EXPIRY_FORMS)[string];
  const atMs = expiryTime(args, 1, form, { nowMs: db.nowMs, command, minimum: 1n });
  putExpiring(db, wordAt(args, 0), wordAt(args, 2), atMs);
  return 'OK';
}

function putExpiring(db: Keyspace, key: string, value: string, atMs: number): void {
  db.set(key, value);
  const entry = db.find(key);
  if (entry !== undefined) db.setExpiry(entry, atMs);
  db.effects = [['SET', key, value, 'PXAT', String(atMs)]];
  // A time in the past.
  db.find(key);
}

function setString(db: Keyspace, args: readonly string[]): Reply | Steps<Reply> {
  const key = wordAt(args, 0);
  const options = readSetOptions(args, db.nowMs);
  const old = options.givesOld ? (db.string(key) ?? null) : null;
  if (old === null || old.length < BYTES_PER_STEP) return putString(db, args, options, old);
  return putAfterCheck(db, args, options, old);
}

type SetOptions = ReturnType<typeof readSetOptions>;

function* putAfterCheck(db: Keyspace, args: readonly string[], options: SetOptions, old: string): Steps<Reply> {
  yield* assertAnswerable([old]);
  return putString(db, args, options, old);
}

function putString(db: Keyspace, args: readonly string[], options: SetOptions, old: string | null): Reply {
  const [key, value] = [wordAt(args, 0), wordAt(args, 1)];
  const { condition, givesOld, keepsExpiry, atMs } = options;
  const isThere = condition !== undefined && db.find(key) !== undefined;
  if ((condition === 'NX' && isThere) || (condition === 'XX' && !isThere)) return givesOld ? old : null;
  if (atMs === undefined) db.set(key, value, keepsExpiry);
  else putExpiring(db, key, value, atMs);
  return givesOld ? old : 'OK';
}

function readSetOptions(args: readonly string[], nowMs: number) {
  let [condition, atMs]: [string | undefined, number | undefined] = [undefined, undefined];
  let [givesOld, keepsExpiry] = [false, false];
  for (let at = 2; at < args.length; at++) {
    const option = wordAt(args, at).toUpperCase();
    const form = EXPIRY_FORMS[option];
    const hasExpiry = keepsExpiry || atMs !== undefined;
    if ((option === 'NX' || option === 'XX') && (condition ?? option) === option) condition = option;
    else if (option === 'GET') givesOld = true;
    else if (option === 'KEEPTTL' && atMs === undefined) keepsExpiry = true;
    else if (form !== undefined && !hasExpiry)
      atMs = expiryTime(args, ++at, form, { nowMs, command: 'set', minimum: 1n });
    else throw failure(SYNTAX_ERROR);
  }
  return { condition, givesOld, keepsExpiry, atMs };
}

function* getAndExpire(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const value = db.string(key) ?? null;
  if (value !== null) yield* assertAnswerable([value]);
  const option = args[1]?.toUpperCase();
  const form = option === undefined ? undefined : EXPIRY_FORMS[option];
  const atMs = form === undefined ? 0 : expiryTime(args, 2, form, { nowMs: db.nowMs, command: 'getex', minimum: 1n });
  if (option !== undefined && form === undefined && option !== 'PERSIST') throw failure(SYNTAX_ERROR);
  const entry = db.find(key);
  if (entry === undefined || option === undefined) return value;
  if (form === undefined && entry.expiresAtMs === 0) return value;
  db.setExpiry(entry, atMs);
  db.effects = form === undefined ? [['PERSIST', key]] : [['PEXPIREAT', key, String(atMs)]];
  db.find(key);
  return value;
}
