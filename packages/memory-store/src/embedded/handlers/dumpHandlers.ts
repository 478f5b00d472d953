import { crc32 } from 'node:zlib';
import { failure, SYNTAX_ERROR } from '../failure.js';
import type { Keyspace } from '../Keyspace.js';
import { decodeCommands, encodeCommands, type LoggedCommand } from '../log/encodeCommands.js';
import { REBUILDING, rebuildCommands } from '../rebuildCommands.js';
import type { Reply } from '../Reply.js';
import { countAt, wordAt } from '../words.js';
import { rebuilders } from './rebuilders.js';

/** First bytes of a dump: who made it, and the version of its form. */
const MAGIC = Buffer.from('MSD\u0001', 'latin1');
const DAMAGED = 'ERR DUMP payload version or checksum are wrong';

/** DUMP: the commands that rebuild the key, behind a mark and before a checksum (memory-store.md 1.6). */
export function dump(db: Keyspace, args: readonly string[]): Reply {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return null;
  const body = encodeCommands([...rebuildCommands('', entry.value)]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(Buffer.concat([MAGIC, body])));
  return new Uint8Array(Buffer.concat([MAGIC, body, checksum]));
}

/** RESTORE: nothing is changed where the payload is damaged. */
export function restore(db: Keyspace, args: readonly string[]): Reply {
  const [key, content] = [wordAt(args, 0), wordAt(args, 2)];
  const options = args.slice(3).map((option) => option.toUpperCase());
  if (options.some((option) => option !== 'REPLACE' && option !== 'ABSTTL'))
    throw failure(SYNTAX_ERROR);
  const isReplaced = options.includes('REPLACE');
  if (!isReplaced && db.find(key) !== undefined)
    throw failure('BUSYKEY Target key name already exists.');
  const ttlMs = countAt(args, 1, 'ERR Invalid TTL value, must be >= 0');
  const commands = readPayload(content);
  db.delete(key);
  replay(
    db,
    commands.map(([name = '', , ...words]) => [name, key, ...words]),
  );
  const atMs = options.includes('ABSTTL') ? ttlMs : db.nowMs + ttlMs;
  const entry = db.find(key);
  if (entry !== undefined && ttlMs > 0) db.setExpiry(entry, atMs);
  const expiry =
    ttlMs > 0 ? [String(atMs), content, 'REPLACE', 'ABSTTL'] : ['0', content, 'REPLACE'];
  db.effects = [['RESTORE', key, ...expiry]];
  db.find(key);
  return 'OK';
}

/** Runs commands that rebuild a key. */
export function replay(db: Keyspace, commands: Iterable<LoggedCommand>): void {
  for (const [name = '', ...args] of commands) rebuilders[name]?.(db, args);
}

function readPayload(content: string): readonly LoggedCommand[] {
  const bytes = Buffer.from(content, 'latin1');
  const end = bytes.length - 4;
  const isOurs = end > MAGIC.length && bytes.subarray(0, MAGIC.length).equals(MAGIC);
  if (!isOurs || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) throw failure(DAMAGED);
  const commands = decodeCommands(bytes.subarray(MAGIC.length, end));
  // Whoever can compute a checksum still gets no other command in.
  if (commands?.every(([name = '']) => REBUILDING.has(name)) !== true) throw failure(DAMAGED);
  return commands;
}
