import { failure } from '../failure.js';
import type { Keyspace } from '../Keyspace.js';
import { pickRandom } from '../pickRandom.js';
import type { Reply } from '../Reply.js';
import { HashValue } from '../values/collections.js';
import { asBigInteger, integerAt, toReply, wordAt } from '../words.js';
import { addFloats, addIntegers } from './stringHandlers.js';
import type { Handlers } from './Handlers.js';

/** Commands on hashes that only read (memory-store.md 2.7). */
export const hashReaders: Handlers = {
  HGET: (db, args) => db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) ?? null,
  HMGET: (db, args) => {
    const hash = db.collection(wordAt(args, 0), HashValue);
    return args.slice(1).map((field) => hash?.get(field) ?? null);
  },
  HGETALL: (db, args) => {
    const flat: string[] = [];
    for (const { key, value } of rowsOf(db, wordAt(args, 0))) flat.push(key, value);
    return flat;
  },
  HKEYS: (db, args) => rowsOf(db, wordAt(args, 0)).map(({ key }) => key),
  HVALS: (db, args) => rowsOf(db, wordAt(args, 0)).map(({ value }) => value),
  HLEN: (db, args) => db.collection(wordAt(args, 0), HashValue)?.size ?? 0,
  HEXISTS: (db, args) =>
    db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) === undefined ? 0 : 1,
  HSTRLEN: (db, args) =>
    (db.collection(wordAt(args, 0), HashValue)?.get(wordAt(args, 1)) ?? '').length,
  HRANDFIELD: (db, args) => {
    const count = args.length > 1 ? integerAt(args, 1) : undefined;
    const hash = db.collection(wordAt(args, 0), HashValue);
    if (count === undefined) return hash?.fields.random()?.key ?? null;
    if (hash === undefined) return [];
    const rows = pickRandom(hash.fields, count);
    return args.length > 2
      ? rows.flatMap(({ key, value }) => [key, value])
      : rows.map(({ key }) => key);
  },
};

/** Commands on hashes that write. */
export const hashWriters: Handlers = {
  HSET: (db, args) => setFields(db, args),
  HMSET: (db, args) => {
    setFields(db, args);
    return 'OK';
  },
  HSETNX: (db, args) => {
    const key = wordAt(args, 0);
    if (db.collection(key, HashValue)?.get(wordAt(args, 1)) !== undefined) return 0;
    return setFields(db, args);
  },
  HDEL: (db, args) => {
    const key = wordAt(args, 0);
    const hash = db.changing(key, HashValue);
    if (hash === undefined) return 0;
    const removed = args.slice(1).filter((field) => hash.delete(field)).length;
    if (removed > 0) db.changed(key);
    return removed;
  },
  HINCRBY: (db, args) => {
    const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
    const amount = asBigInteger(wordAt(args, 2));
    const current = asBigInteger(db.collection(key, HashValue)?.get(field) ?? '0');
    if (current === undefined || amount === undefined)
      throw failure('ERR hash value is not an integer');
    const sum = addIntegers(current, amount);
    setFields(db, [key, field, String(sum)]);
    return toReply(sum);
  },
  HINCRBYFLOAT: (db, args) => {
    const [key, field] = [wordAt(args, 0), wordAt(args, 1)];
    const current = db.collection(key, HashValue)?.get(field) ?? '0';
    const sum = addFloats(current, wordAt(args, 2), 'ERR hash value is not a float');
    setFields(db, [key, field, sum]);
    db.effects = [['HSET', key, field, sum]];
    return sum;
  },
};

function rowsOf(db: Keyspace, key: string) {
  return [...(db.collection(key, HashValue)?.fields.values() ?? [])];
}

function setFields(db: Keyspace, args: readonly string[]): Reply {
  const key = wordAt(args, 0);
  const hash = db.changingOrNew(key, HashValue);
  let added = 0;
  for (let at = 1; at < args.length; at += 2)
    if (hash.set(wordAt(args, at), wordAt(args, at + 1))) added++;
  db.changed(key);
  return added;
}
