import { failure } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import { HashValue } from '../keyspace/values/collections.js';
import type { TableRow } from '../keyspace/values/IndexedTable.js';
import { asBigInteger, integerAt, toReply, wordAt } from '../keyspace/words.js';
import { eachInSteps, mapInSteps, type Steps } from '../steps/Steps.js';
import { name } from './ArgumentKind.js';
import { countWith, inBody, top } from './argumentsAt.js';
import { family, reads, readsWhole, removes, writes } from './Command.js';
import { addFloats, addIntegers } from './counters.js';
import { assertElements } from './limits.js';
import { pickRandom } from './pickRandom.js';
import { asObject, shownFloat } from './replyShapes.js';
import { removal } from './sets.js';

const key = top.key();
const field = top.key('field');
const fields = (at: typeof top) => at.list('field', 'fields', name);

/** Shorter commands set their fields in one step. */
const SMALL_COMMAND = 64;

/** Commands on hashes. */
export const hashes = family({
  hdel: removes('Removes fields.', [key, fields(inBody)], 'integer', removal(HashValue)),
  hexists: reads('Returns whether a field exists.', [key, field], 'bit', (db, args) =>
    fieldOf(db, args) === undefined ? 0 : 1,
  ),
  hget: reads('Returns a field.', [key, field], 'textOrNull', (db, args) => fieldOf(db, args) ?? null),
  hgetall: readsWhole('Returns all fields as an object.', [key], 'textMap', { shape: asObject }, function* (db, args) {
    const flat: string[] = [];
    yield* eachInSteps(rowsOf(db, wordAt(args, 0)), ({ key, value }) => void flat.push(key, value));
    return flat;
  }),
  hincrby: writes(
    'Adds to an integer field.',
    [key, inBody.key('field'), inBody.integer('value')],
    'integer',
    function* (db, args) {
      const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
      const amount = asBigInteger(wordAt(args, 2));
      const current = asBigInteger(db.collection(key, HashValue)?.get(field) ?? '0');
      if (current === undefined || amount === undefined) throw failure('ERR hash value is not an integer');
      const sum = addIntegers(current, amount);
      yield* setFields(db, [key, field, String(sum)]);
      return toReply(sum);
    },
  ),
  hincrbyfloat: writes(
    'Adds a fraction to a field.',
    [key, inBody.key('field'), inBody.decimal('value')],
    'text',
    { shape: shownFloat },
    function* (db, args) {
      const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
      const current = db.collection(key, HashValue)?.get(field) ?? '0';
      const sum = addFloats(current, wordAt(args, 2), 'ERR hash value is not a float');
      yield* setFields(db, [key, field, sum]);
      db.effects = [['HSET', key, field, sum]];
      return sum;
    },
  ),
  hkeys: readsWhole('Returns the names of fields.', [key], 'texts', (db, args) =>
    mapInSteps(rowsOf(db, wordAt(args, 0)), ({ key }) => key),
  ),
  hlen: reads('Counts fields.', [key], 'integer', (db, args) => db.collection(wordAt(args, 0), HashValue)?.size ?? 0),
  hmget: reads(
    'Returns fields.',
    [key, fields(top)],
    'textsOrNulls',
    { paths: ['/:_id/:field', '/:_id'] },
    (db, args) => {
      const hash = db.collection(wordAt(args, 0), HashValue);
      return mapInSteps(args.slice(1), (field) => hash?.get(field) ?? null);
    },
  ),
  hmset: writes('Sets fields.', [key, inBody.pairs('field', 'value')], 'ok', function* (db, args) {
    yield* setFields(db, args);
    return 'OK';
  }),
  hrandfield: reads(
    'Returns some fields.',
    [key, countWith('withvalues')],
    'picked',
    { paths: ['/:_id', '/:_id/:count'], cost: 'unbounded' },
    (db, args) => {
      const count = args.length > 1 ? integerAt(args, 1) : undefined;
      const hash = db.collection(wordAt(args, 0), HashValue);
      if (count === undefined) return hash?.fields.random()?.key ?? null;
      if (hash === undefined) return [];
      return pickFields(hash, count, args.length > 2);
    },
  ),
  hset: writes('Sets fields and counts the new ones.', [key, inBody.pairs('field', 'value')], 'integer', setFields),
  hsetnx: writes('Sets a field unless it exists.', [key, inBody.key('field'), inBody.value()], 'bit', (db, args) => {
    const key = wordAt(args, 0);
    if (db.collection(key, HashValue)?.get(wordAt(args, 1)) !== undefined) return 0;
    return setFields(db, args);
  }),
  hstrlen: reads(
    'Returns the length of a field in bytes.',
    [key, field],
    'integer',
    (db, args) => (fieldOf(db, args) ?? '').length,
  ),
  hvals: readsWhole('Returns the values of fields.', [key], 'texts', (db, args) =>
    mapInSteps(rowsOf(db, wordAt(args, 0)), ({ value }) => value),
  ),
});

function fieldOf(db: Keyspace, args: readonly string[]): string | undefined {
  return db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1));
}

function rowsOf(db: Keyspace, key: string): Iterable<TableRow<string>> {
  const hash = db.collection(key, HashValue);
  assertElements(hash?.size ?? 0);
  return hash?.fields.values() ?? [];
}

function* pickFields(hash: HashValue, count: number, withValues: boolean): Steps<string[]> {
  const rows = yield* pickRandom(hash.fields, count);
  return rows.flatMap(({ key, value }) => (withValues ? [key, value] : [key]));
}

function* setFields(db: Keyspace, args: readonly string[]): Steps<number> {
  const key = wordAt(args, 0);
  const hash = db.changingOrNew(key, HashValue);
  let added = 0;
  for (let at = 1; at < args.length; at += 2) {
    if (hash.set(wordAt(args, at), wordAt(args, at + 1))) added++;
    if (at > SMALL_COMMAND) yield;
  }
  db.changed(key);
  return added;
}
