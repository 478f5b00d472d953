import { failure, NO_SUCH_KEY, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import { globMatcher } from '../keyspace/matchGlob.js';
import type { Reply } from '../keyspace/Reply.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { typeOf, type Value } from '../keyspace/values/Value.js';
import { asBigInteger, wordAt } from '../keyspace/words.js';
import { eachInSteps, type Steps } from '../steps/Steps.js';
import { keyword, name } from './ArgumentKind.js';
import { inBody, readKeys, top } from './argumentsAt.js';
import { family, FREES, KEY_FIRST, reads, removes, writes } from './Command.js';
import { missing, toList, toWord, type CommandPart } from './CommandPart.js';
import { assertElements, MAX_MATCHED_KEYS } from './limits.js';

const key = top.key();
const subcommand = keyword('ENCODING', 'REFCOUNT', 'IDLETIME', 'FREQ');

/** `subcommand` and the key of object, which is in `args` or in `_id`. */
const objectParts: CommandPart = {
  args: [
    { name: 'subcommand', home: 'top', kind: subcommand, isRequired: true },
    { name: 'args', home: 'top', kind: name, isRequired: false },
  ],
  append: (source, words) => {
    const given = source.read('subcommand', 'top');
    if (given === undefined) throw missing('subcommand', subcommand.expected);
    const [first] = toList(source.read('args', 'top'));
    const key = first === undefined ? readKeys(source, 'args', 'top')[0] : toWord('args', name, first);
    words.push(toWord('subcommand', subcommand, given), key ?? '');
  },
};

const MATCHED_PER_STEP = 1_024;

/** This product of pattern length and key length counts as one element. */
const ORDINARY_MATCH = 1_024;
const EMBEDDED_BYTES = 44;
const SMALL_TEXT = 64;
const SMALL_HASH = 512;
const SMALL_SORTED_SET = 128;
const SMALL_INTEGERS = 512;

/** Commands on keys. */
export const keys = family({
  del: removes(
    'Removes keys.',
    [inBody.keys()],
    'integer',
    { routes: ['DELETE /ms/:_id', 'DELETE /ms', 'DELETE /ms/_del/:_id'] },
    deleteKeys,
  ),
  exists: reads('Counts which keys exist.', [top.keys()], 'integer', KEY_FIRST, useKeys),
  keys: reads('Lists the keys that match a pattern.', [top.text('pattern')], 'texts', { cost: 'all keys' }, matchKeys),
  object: reads(
    'Returns the encoding, idle time or reference count of a key.',
    [objectParts],
    'inspected',
    { paths: [''] },
    inspect,
  ),
  randomkey: reads('Returns a random key.', [], 'textOrNull', (db) => db.randomKey() ?? null),
  rename: writes('Renames a key.', [key, inBody.key('newkey')], 'ok', FREES, rename),
  renamenx: writes(
    'Renames a key unless the new name is taken.',
    [key, inBody.key('newkey')],
    'bit',
    FREES,
    (db, args) => {
      const [from, to] = [wordAt(args, 0), wordAt(args, 1)];
      if (db.find(from) === undefined) throw failure(NO_SUCH_KEY);
      if (db.find(to) !== undefined) return 0;
      rename(db, args);
      return 1;
    },
  ),
  touch: writes('Counts as a use of keys.', [inBody.keys()], 'integer', { ...KEY_FIRST, changes: false }, useKeys),
  type: reads('Returns the type of a key.', [key], 'type', (db, args) => {
    const entry = db.find(wordAt(args, 0));
    return entry === undefined ? 'none' : typeOf(entry.value);
  }),
  unlink: removes('Removes keys.', [inBody.keys()], 'integer', KEY_FIRST, deleteKeys),
});

function deleteKeys(db: Keyspace, keys: readonly string[]): Steps<number> {
  return countInSteps(keys, (key) => db.delete(key));
}

function useKeys(db: Keyspace, keys: readonly string[]): Steps<number> {
  return countInSteps(keys, (key) => db.use(key) !== undefined);
}

function* countInSteps(keys: readonly string[], isCounted: (key: string) => boolean): Steps<number> {
  let count = 0;
  yield* eachInSteps(keys, (key) => {
    if (isCounted(key)) count++;
  });
  return count;
}

/** @throws memory.command_too_large also if pattern and keys are so long that matching takes too long */
function* matchKeys(db: Keyspace, args: readonly string[]): Steps<string[]> {
  const pattern = wordAt(args, 0);
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

function rename(db: Keyspace, args: readonly string[]): Reply {
  const [from, to] = [wordAt(args, 0), wordAt(args, 1)];
  const entry = db.find(from);
  if (entry === undefined) throw failure(NO_SUCH_KEY);
  if (from === to) return 'OK';
  const { value, expiresAtMs } = entry;
  db.delete(to);
  db.delete(from);
  db.set(to, value);
  const renamed = db.find(to);
  if (renamed !== undefined && expiresAtMs !== 0) db.setExpiry(renamed, expiresAtMs);
  return 'OK';
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

/** The encoding that Redis 7.0 would choose for the current value (Redis keeps a larger one once chosen). */
function encodingOf(value: Value): string {
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
