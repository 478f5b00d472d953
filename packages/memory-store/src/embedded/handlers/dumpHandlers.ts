import { crc32 } from 'node:zlib';
import { failure, SYNTAX_ERROR } from '../failure.js';
import type { Keyspace } from '../Keyspace.js';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../../answers/MAX_ANSWER_BYTES.js';
import { isSteps, type Steps } from '../../steps/Steps.js';
import { crcInSteps } from '../log/crcInSteps.js';
import { decodeCommands, encodeInSteps, type LoggedCommand } from '../log/encodeCommands.js';
import { ByteBuffer } from '../values/ByteBuffer.js';
import { assertElements } from './assertElements.js';
import { REBUILDING, rebuildCommands } from '../rebuildCommands.js';
import type { Reply } from '../Reply.js';
import { countAt, wordAt } from '../words.js';
import { rebuilders } from './rebuilders.js';

const CHECKSUM_BYTES = 4;
/** First bytes of a dump: its producer, and the version of its format. */
const MAGIC = Buffer.from('MSD\u0001', 'latin1');
const DAMAGED = 'ERR DUMP payload version or checksum are wrong';

/** DUMP: the commands that rebuild the key, after a mark and before a checksum (MEM-23). */
export function* dump(db: Keyspace, args: readonly string[]): Steps<Reply> {
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
export function* restore(db: Keyspace, args: readonly string[]): Steps<Reply> {
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
export function* replay(db: Keyspace, key: string, commands: Iterable<LoggedCommand>): Steps<void> {
  for (const [name = '', , ...words] of commands) {
    const outcome = rebuilders[name]?.(db, [key, ...words]);
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
  // A forged dump with a valid checksum must not run any other command.
  if (commands?.every(([name = '']) => REBUILDING.has(name)) !== true) throw failure(DAMAGED);
  return commands;
}
