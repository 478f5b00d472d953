import { crc32 } from 'node:zlib';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../answers/MAX_ANSWER_BYTES.js';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import { crcInSteps } from '../log/crcInSteps.js';
import { decodeCommands, encodeInSteps, type LoggedCommand } from '../log/encodeCommands.js';
import { rebuildCommands } from '../log/rebuildCommands.js';
import type { Reply } from '../keyspace/Reply.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { countAt, wordAt } from '../keyspace/words.js';
import { isSteps, type Steps } from '../steps/Steps.js';
import { text } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { family, readsWhole, writesWhole } from './Command.js';
import { invalid, missing, type CommandPart } from './CommandPart.js';
import { hashes } from './hashes.js';
import { assertElements, MAX_COMBINED_ELEMENTS, MAX_SORTED_ELEMENTS } from './limits.js';
import { lists } from './lists.js';
import { asBase64 } from './replyShapes.js';
import { sets } from './sets.js';
import { sortedSets } from './sortedSets.js';
import { lastIds, streams } from './streams.js';
import { strings } from './strings.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `content` of restore: base64, passed on as bytes (MEM-23). */
const base64Content: CommandPart = {
  args: [{ name: 'content', home: 'body', kind: text, isRequired: true }],
  append: (source, words) => {
    const content = source.read('content', 'body');
    if (content === undefined) throw missing('content', 'base64 as dump gives it');
    if (typeof content !== 'string' || !BASE64.test(content))
      throw invalid('content', 'base64 as dump gives it', content);
    words.push(Buffer.from(content, 'base64'));
  },
};

const CHECKSUM_BYTES = 4;

/** First bytes of a dump: its producer, and the version of its format. */
const MAGIC = Buffer.from('MSD\u0001', 'latin1');
/** The commands of dumps: a forged one with a valid checksum must not run any other. */
const REBUILDING = new Map(
  [...strings, ...lists, ...sets, ...hashes, ...sortedSets, ...streams, ...lastIds]
    .filter(({ word }) => ['SET', 'RPUSH', 'SADD', 'HSET', 'ZADD', 'XADD', 'XLASTID'].includes(word))
    .map(({ word, run }) => [word, run]),
);
const DAMAGED = 'ERR DUMP payload version or checksum are wrong';
const key = top.key();

/** Commands that copy keys, within the store or out of it. */
export const dumps = family({
  copy: writesWhole('Copies a key.', [key, inBody.key('destination'), inBody.flag('replace')], 'bit', copy),
  dump: readsWhole('Returns a key as bytes in base64.', [key], 'textOrNull', { shape: asBase64 }, dump),
  restore: writesWhole(
    'Creates a key from the output of dump.',
    [key, inBody.integer('ttl'), base64Content, inBody.flag('replace'), inBody.flag('absttl')],
    'ok',
    restore,
  ),
});

function* copy(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const [from, to] = [wordAt(args, 0), wordAt(args, 1)];
  const option = args[2]?.toUpperCase();
  if (option !== undefined && option !== 'REPLACE') throw failure(SYNTAX_ERROR);
  if (from === to) throw failure('ERR source and destination objects are the same');
  const entry = db.find(from);
  if (entry === undefined) return 0;
  const { value } = entry;
  const isString = typeof value === 'string' || value.type === 'string';
  if (!isString) assertElements(value.size, value.type === 'zset' ? MAX_SORTED_ELEMENTS : MAX_COMBINED_ELEMENTS);
  if (db.find(to) !== undefined) {
    if (option === undefined) return 0;
    db.delete(to);
  }
  yield* replay(db, to, rebuildCommands(to, value));
  const copied = db.find(to);
  if (copied !== undefined && entry.expiresAtMs !== 0) db.setExpiry(copied, entry.expiresAtMs);
  db.effects = undefined;
  return 1;
}

/** DUMP: the commands that rebuild the key, after a mark and before a checksum (MEM-23). */
function* dump(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return null;
  // The answer is base64.
  if (typeof entry.value === 'string' || entry.value instanceof ByteBuffer) assertDumpSize(entry.value.length);
  else assertElements(entry.value.size);
  const commands: LoggedCommand[] = [];
  let bytes = 0;
  for (const command of rebuildCommands('', entry.value)) {
    commands.push(command);
    bytes = command.reduce((sum, word) => sum + word.length, bytes);
    assertDumpSize(bytes);
    yield;
  }
  const payload = yield* encodeInSteps(commands, MAGIC.length, CHECKSUM_BYTES);
  MAGIC.copy(payload);
  const end = payload.length - CHECKSUM_BYTES;
  payload.writeUInt32LE(yield* crcInSteps(payload.subarray(0, end)), end);
  return payload;
}

function assertDumpSize(bytes: number): void {
  if ((bytes * 4) / 3 > MAX_ANSWER_BYTES) throw answerTooLarge();
}

/** RESTORE: nothing is changed if the payload is damaged. */
function* restore(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const [key, content] = [wordAt(args, 0), wordAt(args, 2)];
  const options = args.slice(3).map((option) => option.toUpperCase());
  if (options.some((option) => option !== 'REPLACE' && option !== 'ABSTTL')) throw failure(SYNTAX_ERROR);
  const isReplaced = options.includes('REPLACE');
  if (!isReplaced && db.find(key) !== undefined) throw failure('BUSYKEY Target key name already exists.');
  const ttlMs = countAt(args, 1, 'ERR Invalid TTL value, must be >= 0');
  const commands = readPayload(content);
  yield;
  db.delete(key);
  yield* replay(db, key, commands);
  const atMs = options.includes('ABSTTL') ? ttlMs : db.nowMs + ttlMs;
  const entry = db.find(key);
  if (entry !== undefined && ttlMs > 0) db.setExpiry(entry, atMs);
  const expiry = ttlMs > 0 ? [String(atMs), content, 'REPLACE', 'ABSTTL'] : ['0', content, 'REPLACE'];
  db.effects = [['RESTORE', key, ...expiry]];
  db.find(key);
  return 'OK';
}

/** Runs commands that rebuild a key, with the given key instead of the one they name. */
function* replay(db: Keyspace, key: string, commands: Iterable<LoggedCommand>): Steps<void> {
  for (const [name = '', , ...words] of commands) {
    const outcome = REBUILDING.get(name)?.(db, [key, ...words]);
    if (isSteps(outcome)) yield* outcome;
    yield;
  }
}

function readPayload(content: string): readonly LoggedCommand[] {
  const bytes = Buffer.from(content, 'latin1');
  const end = bytes.length - 4;
  const isOurs = end > MAGIC.length && bytes.subarray(0, MAGIC.length).equals(MAGIC);
  if (!isOurs || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) throw failure(DAMAGED);
  const commands = decodeCommands(bytes.subarray(MAGIC.length, end));
  if (commands?.every(([name = '']) => REBUILDING.has(name)) !== true) throw failure(DAMAGED);
  return commands;
}
