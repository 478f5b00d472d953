import { memoryErrors } from '@millrace/kernel';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../answers/MAX_ANSWER_BYTES.js';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { integerAt, toRange, wordAt } from '../keyspace/words.js';
import { BYTES_PER_STEP, eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, value } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import type { ArgumentSource } from './ArgumentSource.js';
import { family, FREES, KEY_FIRST, KEY_LAST, reads, readsWhole, writes, writesWhole } from './Command.js';
import { invalid, missing, readFlag, readOne, toWord, type CommandPart } from './CommandPart.js';
import { EXPIRY_FORMS, expiryTime } from './expiries.js';
import { assertAnswerable } from './limits.js';
import { longestCommonSubsequence } from './longestCommonSubsequence.js';

const key = top.key();
const pairs = inBody.pairs('_id', 'value', 'top');
const byteRange = [key, top.integer('start'), top.integer('end')];
const times = ['ex', 'px', 'exat', 'pxat'].map((each) => inBody.option(each, integer, each.toUpperCase()));
const expiry = inBody.atMostOne(...times, inBody.flag('keepttl'));
const condition = inBody.atMostOne(inBody.flag('nx'), inBody.flag('xx'));
const givesOld = inBody.flag('get');

/** If none of these is present, the whole body is the value (MEM-14). */
const COMPATIBLE = ['value', 'ex', 'px', 'nx', 'xx'];

/** The arguments of `set` after the key. */
const setParts: CommandPart = {
  args: [
    { name: 'value', home: 'body', kind: value, isRequired: false },
    ...[expiry, condition, givesOld].flatMap(({ args }) => args),
  ],
  append: (source, words) => {
    const isWhole = COMPATIBLE.every((name) => source.read(name, 'body') === undefined);
    if (isWhole) {
      const { wholeBody } = source;
      if (wholeBody === null) throw missing('value', value.expected);
      words.push(JSON.stringify(wholeBody));
      return;
    }
    const given = readOne(source, 'value', 'body');
    if (given === undefined) throw missing('value', `${value.expected}, in addition to the options`);
    words.push(toWord('value', value, given));
    if (readFlag(source, 'nx', 'body') && readFlag(source, 'xx', 'body'))
      throw invalid('xx', 'absent with "nx"', 'both');
    for (const part of [expiry, condition, givesOld]) part.append(source, words);
  },
};

type SetOptions = ReturnType<typeof readSetOptions>;

/**
 * Offsets determine how much memory a command allocates, so those beyond the longest value are refused before it runs,
 * with the message of Redis (whose limit is half a gigabyte).
 */
const TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)';

/** `offset` and `value` of setrange, in bytes. */
const setRangeOffset: CommandPart = {
  args: [
    { name: 'offset', home: 'body', kind: integer, isRequired: true },
    { name: 'value', home: 'body', kind: value, isRequired: true },
  ],
  append: (source, words) => {
    const offset = readOffset(source, 'offset');
    const given = readOne(source, 'value', 'body');
    if (given === undefined) throw missing('value', value.expected);
    const text = toWord('value', value, given);
    if (text !== '' && Number(offset) + Buffer.byteLength(text) > source.limits.maxValueBytes)
      throw memoryErrors.command_error({ message: TOO_LONG });
    words.push(offset, text);
  },
};

/** Commands on strings. */
export const strings = family({
  append: writes('Appends to a string.', [key, inBody.value()], 'integer', append),
  get: reads('Returns a string.', [key], 'textOrNull', { routes: ['GET /ms/:_id', 'GET /ms/_get/:_id'] }, getString),
  getdel: writesWhole('Returns a string and deletes it.', [key], 'textOrNull', FREES, function* (db, args) {
    const old = db.string(wordAt(args, 0)) ?? null;
    yield* assertAnswerable(old === null ? [] : [old]);
    db.delete(wordAt(args, 0));
    return old;
  }),
  getex: writesWhole(
    'Returns a string and sets its expiry.',
    [key, inBody.atMostOne(...times, inBody.flag('persist'))],
    'textOrNull',
    FREES,
    getAndExpire,
  ),
  getrange: reads('Returns a part of a string.', byteRange, 'text', getRange),
  getset: writesWhole(
    'Sets a string and returns the old one.',
    [key, inBody.value()],
    'textOrNull',
    function* (db, args) {
      const old = db.string(wordAt(args, 0)) ?? null;
      yield* assertAnswerable(old === null ? [] : [old]);
      db.set(wordAt(args, 0), wordAt(args, 1));
      return old;
    },
  ),
  lcs: reads(
    'Finds the longest common subsequence.',
    [
      top.key('key1'),
      top.key('key2'),
      top.flag('len'),
      top.flag('idx'),
      top.option('minmatchlen', integer, 'MINMATCHLEN'),
      top.flag('withmatchlen'),
    ],
    'subsequence',
    { cost: 'unbounded' },
    longestCommonSubsequence,
  ),
  mget: readsWhole('Returns strings.', [top.keys()], 'textsOrNulls', KEY_FIRST, getSeveral),
  mset: writes('Sets strings.', [pairs], 'ok', KEY_FIRST, setPairs),
  msetnx: writes('Sets strings unless one of them is there.', [pairs], 'bit', KEY_LAST, function* (db, args) {
    for (let at = 0; at < args.length; at += 2) if (db.find(wordAt(args, at))) return 0;
    yield* setPairs(db, args);
    return 1;
  }),
  psetex: writes(
    'Sets a string that expires after milliseconds.',
    [key, inBody.integer('milliseconds'), inBody.value()],
    'ok',
    KEY_FIRST,
    (db, args) => setExpiring(db, args, 'PX', 'psetex'),
  ),
  set: writes(
    'Sets a string.',
    [key, setParts],
    'textOrNull',
    { routes: ['POST /ms/:_id', 'POST /ms/_set/:_id'] },
    setString,
  ),
  setex: writes(
    'Sets a string that expires after seconds.',
    [key, inBody.integer('seconds'), inBody.value()],
    'ok',
    (db, args) => setExpiring(db, args, 'EX', 'setex'),
  ),
  setnx: writes('Sets a string unless it exists.', [key, inBody.value()], 'bit', (db, args) => {
    if (db.find(wordAt(args, 0))) return 0;
    db.set(wordAt(args, 0), wordAt(args, 1));
    return 1;
  }),
  setrange: writes('Overwrites a part of a string.', [key, setRangeOffset], 'integer', setRange),
  strlen: reads('Returns the length of a string in bytes.', [key], 'integer', (db, args) => {
    return (db.stringValue(wordAt(args, 0)) ?? '').length;
  }),
  substr: reads('Returns a part of a string.', byteRange, 'text', getRange),
});

function* setPairs(db: Keyspace, args: readonly string[]): Steps<string> {
  for (let at = 0; at < args.length; at += 2) {
    db.set(wordAt(args, at), wordAt(args, at + 1));
    if (at % ELEMENTS_PER_STEP === 0) yield;
  }
  return 'OK';
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

export function readOffset(source: ArgumentSource, name: string): string {
  const given = source.read(name, 'body');
  if (given === undefined) throw missing(name, integer.expected);
  return toWord(name, integer, given);
}
