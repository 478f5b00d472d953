import { failure, NO_SUCH_KEY, SYNTAX_ERROR } from '../failure.js';
import { eachInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import { globMatcher } from '../matchGlob.js';
import { rebuildCommands } from '../rebuildCommands.js';
import type { Reply } from '../Reply.js';
import { encodingOf } from '../encodingOf.js';
import { typeOf } from '../values/Value.js';
import { wordAt } from '../words.js';
import { assertElements, MAX_COMBINED_ELEMENTS, MAX_MATCHED_KEYS, MAX_SORTED_ELEMENTS } from './assertElements.js';
import { dump, replay, restore } from './dumpHandlers.js';
import { expiryTime, type ExpiryForm } from './expiryTimes.js';
import type { Handlers } from './Handlers.js';

const MATCHED_PER_STEP = 1_024;
/** This product of pattern length and key length counts as one element. */
const ORDINARY_MATCH = 1_024;

/** Read-only commands on keys. */
export const keyReaders: Handlers = {
  EXISTS: (db, args) => countInSteps(args, (key) => db.use(key) !== undefined),
  TTL: (db, args) => timeLeft(db, args, 1000),
  PTTL: (db, args) => timeLeft(db, args, 1),
  EXPIRETIME: (db, args) => timeOf(db, args, 1000),
  PEXPIRETIME: (db, args) => timeOf(db, args, 1),
  KEYS: (db, args) => matchKeys(db, wordAt(args, 0)),
  RANDOMKEY: (db) => db.randomKey() ?? null,
  TYPE: (db, args) => {
    const entry = db.find(wordAt(args, 0));
    return entry === undefined ? 'none' : typeOf(entry.value);
  },
  TOUCH: (db, args) => countInSteps(args, (key) => db.use(key) !== undefined),
  OBJECT: inspect,
  DUMP: dump,
};

const expire = (command: string, form: ExpiryForm) => (db: Keyspace, args: readonly string[]) =>
  setExpiry(db, args, form, command);

/** Write commands on keys. */
export const keyWriters: Handlers = {
  DEL: (db, args) => countInSteps(args, (key) => db.delete(key)),
  UNLINK: (db, args) => countInSteps(args, (key) => db.delete(key)),
  EXPIRE: expire('expire', { unitMs: 1000n, isAbsolute: false }),
  PEXPIRE: expire('pexpire', { unitMs: 1n, isAbsolute: false }),
  EXPIREAT: expire('expireat', { unitMs: 1000n, isAbsolute: true }),
  PEXPIREAT: expire('pexpireat', { unitMs: 1n, isAbsolute: true }),
  PERSIST: (db, args) => {
    const entry = db.find(wordAt(args, 0));
    if (entry === undefined || entry.expiresAtMs === 0) return 0;
    db.setExpiry(entry, 0);
    return 1;
  },
  RENAME: (db, args) => {
    rename(db, wordAt(args, 0), wordAt(args, 1));
    return 'OK';
  },
  RENAMENX: (db, args) => {
    const [from, to] = [wordAt(args, 0), wordAt(args, 1)];
    if (db.find(from) === undefined) throw failure(NO_SUCH_KEY);
    if (db.find(to) !== undefined) return 0;
    rename(db, from, to);
    return 1;
  },
  COPY: copy,
  RESTORE: restore,
};

function* countInSteps(keys: readonly string[], isCounted: (key: string) => boolean): Steps<number> {
  let count = 0;
  yield* eachInSteps(keys, (key) => {
    if (isCounted(key)) count++;
  });
  return count;
}

/** @throws memory.command_too_large also if pattern and keys are so long that matching takes too long */
function* matchKeys(db: Keyspace, pattern: string): Steps<string[]> {
  assertElements(db.size, MAX_MATCHED_KEYS);
  const isMatch = globMatcher(pattern);
  const found: string[] = [];
  let [work, left] = [0, MATCHED_PER_STEP];
  for (const key of db.keys()) {
    // Matching takes at most pattern length times key length; usually much less.
    const cost = 1 + Math.floor((key.length * pattern.length) / ORDINARY_MATCH);
    work += cost;
    assertElements(work, MAX_MATCHED_KEYS);
    if (isMatch(key)) assertElements(found.push(key));
    left -= cost;
    if (left > 0) continue;
    yield;
    left = MATCHED_PER_STEP;
  }
  return found;
}

function timeLeft(db: Keyspace, args: readonly string[], unitMs: number): Reply {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return -2;
  if (entry.expiresAtMs === 0) return -1;
  const leftMs = Math.max(0, entry.expiresAtMs - db.nowMs);
  return unitMs === 1 ? leftMs : Math.floor((leftMs + unitMs / 2) / unitMs);
}

function timeOf(db: Keyspace, args: readonly string[], unitMs: number): Reply {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return -2;
  if (entry.expiresAtMs === 0) return -1;
  return unitMs === 1 ? entry.expiresAtMs : Math.floor((entry.expiresAtMs + unitMs / 2) / unitMs);
}

function setExpiry(db: Keyspace, args: readonly string[], form: ExpiryForm, command: string): Reply {
  const flags = new Set(args.slice(2).map((flag) => flag.toUpperCase()));
  for (const flag of flags)
    if (!['NX', 'XX', 'GT', 'LT'].includes(flag)) throw failure(`ERR Unsupported option ${flag}`);
  if (flags.has('NX') && flags.size > 1)
    throw failure('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (flags.has('GT') && flags.has('LT')) throw failure('ERR GT and LT options at the same time are not compatible');
  const key = wordAt(args, 0);
  const atMs = expiryTime(args, 1, form, { nowMs: db.nowMs, command });
  const entry = db.find(key);
  if (entry === undefined) return 0;
  const present = entry.expiresAtMs === 0 ? Infinity : entry.expiresAtMs;
  const isExpiring = entry.expiresAtMs !== 0;
  if (flags.has('NX') && isExpiring) return 0;
  if (flags.has('XX') && !isExpiring) return 0;
  if (flags.has('GT') && (!isExpiring || atMs <= present)) return 0;
  if (flags.has('LT') && atMs >= present) return 0;
  if (atMs <= db.nowMs && !db.isLoading) {
    db.delete(key);
    db.effects = [['DEL', key]];
  } else {
    db.setExpiry(entry, Math.max(1, atMs));
    db.effects = [['PEXPIREAT', key, String(atMs)]];
  }
  return 1;
}

function rename(db: Keyspace, from: string, to: string): void {
  const entry = db.find(from);
  if (entry === undefined) throw failure(NO_SUCH_KEY);
  if (from === to) return;
  const { value, expiresAtMs } = entry;
  db.delete(to);
  db.delete(from);
  db.set(to, value);
  const renamed = db.find(to);
  if (renamed !== undefined && expiresAtMs !== 0) db.setExpiry(renamed, expiresAtMs);
}

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

function inspect(db: Keyspace, args: readonly string[]): Reply {
  const entry = db.find(wordAt(args, 1));
  const subcommand = wordAt(args, 0).toUpperCase();
  if (entry === undefined) return null;
  switch (subcommand) {
    case 'ENCODING':
      return encodingOf(entry.value);
    case 'REFCOUNT':
      return 1;
    case 'IDLETIME':
      return Math.max(0, Math.floor((db.nowMs - entry.lastUsedMs) / 1000));
    case 'FREQ':
      throw failure(
        'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
      );
    default:
      throw failure(SYNTAX_ERROR);
  }
}
