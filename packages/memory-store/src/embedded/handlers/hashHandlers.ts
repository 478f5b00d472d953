import { failure } from '../failure.js';
import { eachInSteps, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import { pickRandom } from '../pickRandom.js';
import { HashValue } from '../values/collections.js';
import type { TableRow } from '../values/IndexedTable.js';
import { asBigInteger, integerAt, toReply, wordAt } from '../words.js';
import { assertElements } from './assertElements.js';
import { addFloats, addIntegers } from './stringHandlers.js';
import type { Handlers } from './Handlers.js';

/** Shorter commands set their fields in one step. */
const SMALL_COMMAND = 64;

/** Read-only commands on hashes. */
export const hashReaders: Handlers = {
  HGET: (db, args) => db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) ?? null,
  HMGET: (db, args) => {
    const hash = db.collection(wordAt(args, 0), HashValue);
    return mapInSteps(args.slice(1), (field) => hash?.get(field) ?? null);
  },
  *HGETALL(db, args) {
    const flat: string[] = [];
    yield* eachInSteps(rowsOf(db, wordAt(args, 0)), ({ key, value }) => void flat.push(key, value));
    return flat;
  },
  HKEYS: (db, args) => mapInSteps(rowsOf(db, wordAt(args, 0)), ({ key }) => key),
  HVALS: (db, args) => mapInSteps(rowsOf(db, wordAt(args, 0)), ({ value }) => value),
  HLEN: (db, args) => db.collection(wordAt(args, 0), HashValue)?.size ?? 0,
  HEXISTS: (db, args) => (db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) === undefined ? 0 : 1),
  HSTRLEN: (db, args) => (db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) ?? '').length,
  HRANDFIELD: (db, args) => {
    const count = args.length > 1 ? integerAt(args, 1) : undefined;
    const hash = db.collection(wordAt(args, 0), HashValue);
    if (count === undefined) return hash?.fields.random()?.key ?? null;
    if (hash === undefined) return [];
    return pickFields(hash, count, args.length > 2);
  },
};

/** Write commands on hashes. */
export const hashWriters: Handlers = {
  HSET: setFields,
  *HMSET(db, args) {
    yield* setFields(db, args);
    return 'OK';
  },
  HSETNX: (db, args) => {
    const key = wordAt(args, 0);
    if (db.collection(key, HashValue)?.get(wordAt(args, 1)) !== undefined) return 0;
    return setFields(db, args);
  },
  *HDEL(db, args) {
    const key = wordAt(args, 0);
    const hash = db.changing(key, HashValue);
    if (hash === undefined) return 0;
    let removed = 0;
    yield* eachInSteps(args.slice(1), (field) => {
      if (hash.delete(field)) removed++;
    });
    if (removed > 0) db.changed(key);
    return removed;
  },
  *HINCRBY(db, args) {
    const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
    const amount = asBigInteger(wordAt(args, 2));
    const current = asBigInteger(db.collection(key, HashValue)?.get(field) ?? '0');
    if (current === undefined || amount === undefined) throw failure('ERR hash value is not an integer');
    const sum = addIntegers(current, amount);
    yield* setFields(db, [key, field, String(sum)]);
    return toReply(sum);
  },
  *HINCRBYFLOAT(db, args) {
    const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
    const current = db.collection(key, HashValue)?.get(field) ?? '0';
    const sum = addFloats(current, wordAt(args, 2), 'ERR hash value is not a float');
    yield* setFields(db, [key, field, sum]);
    db.effects = [['HSET', key, field, sum]];
    return sum;
  },
};

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
