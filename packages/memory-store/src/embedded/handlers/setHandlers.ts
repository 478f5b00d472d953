import { failure, NOT_AN_INTEGER, OUT_OF_RANGE, SYNTAX_ERROR } from '../failure.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import { pickRandom } from '../pickRandom.js';
import type { Reply } from '../Reply.js';
import { SetValue } from '../values/collections.js';
import { countAt, integerAt, wordAt } from '../words.js';
import type { Handlers } from './Handlers.js';
import { assertAnswerable } from './assertAnswerable.js';
import { assertElements, MAX_COMBINED_ELEMENTS } from './assertElements.js';
import { readKeyCount } from './readKeyCount.js';

/** Read-only commands on sets. */
export const setReaders: Handlers = {
  SCARD: (db, args) => db.collection(wordAt(args, 0), SetValue)?.size ?? 0,
  SISMEMBER: (db, args) => (db.collection(wordAt(args, 0), SetValue)?.members.has(wordAt(args, 1)) === true ? 1 : 0),
  SMISMEMBER: (db, args) => {
    const set = db.collection(wordAt(args, 0), SetValue);
    return mapInSteps(args.slice(1), (member) => (set?.members.has(member) === true ? 1 : 0));
  },
  SMEMBERS: (db, args) => membersOf(db.collection(wordAt(args, 0), SetValue)),
  SRANDMEMBER: (db, args) => {
    const count = args.length > 1 ? integerAt(args, 1) : undefined;
    const set = db.collection(wordAt(args, 0), SetValue);
    if (count === undefined) return set?.members.random()?.key ?? null;
    return set === undefined ? [] : pickMembers(set, count);
  },
  SDIFF: (db, args) => difference(db, args),
  SINTER: (db, args) => intersection(db, args),
  SUNION: (db, args) => union(db, args),
  *SINTERCARD(db, args) {
    const { keys, rest } = readKeyCount(args);
    return (yield* intersection(db, keys, readLimit(rest))).length;
  },
};

/** Write commands on sets. */
export const setWriters: Handlers = {
  *SADD(db, args) {
    const key = wordAt(args, 0);
    const set = db.changingOrNew(key, SetValue);
    let added = 0;
    yield* eachInSteps(args.slice(1), (member) => {
      if (set.add(member)) added++;
    });
    if (added > 0) db.changed(key);
    return added;
  },
  *SREM(db, args) {
    const key = wordAt(args, 0);
    const set = db.changing(key, SetValue);
    if (set === undefined) return 0;
    let removed = 0;
    yield* eachInSteps(args.slice(1), (member) => {
      if (set.delete(member)) removed++;
    });
    if (removed > 0) db.changed(key);
    return removed;
  },
  SMOVE: moveMember,
  SPOP: popMembers,
  SDIFFSTORE: (db, args) => store(db, wordAt(args, 0), difference(db, args.slice(1))),
  SINTERSTORE: (db, args) => store(db, wordAt(args, 0), intersection(db, args.slice(1))),
  SUNIONSTORE: (db, args) => store(db, wordAt(args, 0), union(db, args.slice(1))),
};

function membersOf(set: SetValue | undefined): Reply | Steps<string[]> {
  if (set === undefined) return [];
  assertElements(set.size);
  return mapInSteps(set.members.values(), ({ key }) => key);
}

function* pickMembers(set: SetValue, count: number): Steps<string[]> {
  return yield* mapInSteps(yield* pickRandom(set.members, count), ({ key }) => key);
}

/** `LIMIT n`; 0 or absent: none. */
export function readLimit(rest: readonly string[]): number {
  if (rest.length === 0) return Infinity;
  if (rest.length !== 2 || rest[0]?.toUpperCase() !== 'LIMIT') throw failure(SYNTAX_ERROR);
  const limit = Number(rest[1]);
  if (!Number.isInteger(limit)) throw failure(NOT_AN_INTEGER);
  if (limit < 0) throw failure("ERR LIMIT can't be negative");
  return limit === 0 ? Infinity : limit;
}

/** The sets of the keys, each once: combining a set with itself changes nothing. */
function distinctSets(db: Keyspace, keys: readonly string[]): (SetValue | undefined)[] {
  return [...new Set(keys.map((key) => db.collection(key, SetValue)))];
}

function* difference(db: Keyspace, keys: readonly string[]): Steps<string[]> {
  const [first, ...others] = keys.map((key) => db.collection(key, SetValue));
  if (first === undefined) return [];
  const subtracted = [...new Set(others)].filter((set) => set !== undefined);
  assertElements(first.size * Math.max(1, subtracted.length), MAX_COMBINED_ELEMENTS);
  return yield* mapInSteps(first.members.values(), ({ key }) =>
    subtracted.some((other) => other.members.has(key)) ? undefined : key,
  );
}

function* intersection(db: Keyspace, keys: readonly string[], limit = Infinity): Steps<string[]> {
  // As in Redis, the types of all keys are checked before an empty set ends the work.
  const sets = distinctSets(db, keys).map((set) => set ?? new SetValue());
  sets.sort((left, right) => left.size - right.size);
  const [smallest, ...others] = sets;
  const found: string[] = [];
  if (smallest === undefined) return found;
  assertElements(smallest.size * Math.max(1, others.length), MAX_COMBINED_ELEMENTS);
  let left = ELEMENTS_PER_STEP;
  for (const { key } of smallest.members.values()) {
    if (found.length >= limit) break;
    if (others.every((other) => other.members.has(key))) found.push(key);
    left -= Math.max(1, others.length);
    if (left > 0) continue;
    yield;
    left = ELEMENTS_PER_STEP;
  }
  return found;
}

function* union(db: Keyspace, keys: readonly string[]): Steps<string[]> {
  const sets = distinctSets(db, keys);
  const size = sets.reduce((sum, set) => sum + (set?.size ?? 0), 0);
  assertElements(size, MAX_COMBINED_ELEMENTS);
  const all = new Set<string>();
  for (const set of sets) yield* eachInSteps(set?.members.values() ?? [], ({ key }) => void all.add(key));
  return yield* mapInSteps(all, (member) => member);
}

function* store(db: Keyspace, destination: string, combining: Steps<readonly string[]>): Steps<Reply> {
  const members = yield* combining;
  if (members.length === 0) {
    db.delete(destination);
    return 0;
  }
  const set = new SetValue();
  yield* eachInSteps(members, (member) => void set.add(member));
  db.set(destination, set);
  return set.size;
}

function moveMember(db: Keyspace, args: readonly string[]): Reply {
  const [from, to, member] = [wordAt(args, 0), wordAt(args, 1), wordAt(args, 2)];
  const source = db.changing(from, SetValue);
  if (source === undefined) return 0;
  db.collection(to, SetValue);
  if (from === to) return source.members.has(member) ? 1 : 0;
  if (!source.delete(member)) return 0;
  db.changed(from);
  db.changingOrNew(to, SetValue).add(member);
  db.changed(to);
  return 1;
}

function* popMembers(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const count = args.length > 1 ? countAt(args, 1, OUT_OF_RANGE) : undefined;
  const set = db.changing(key, SetValue);
  if (set === undefined) return count === undefined ? null : [];
  assertElements(Math.min(count ?? 1, set.size), MAX_COMBINED_ELEMENTS);
  const picked = yield* pickMembers(set, count ?? 1);
  yield* assertAnswerable(picked);
  yield* eachInSteps(picked, (member) => void set.delete(member));
  if (picked.length > 0) db.changed(key);
  db.effects = [['SREM', key, ...picked]];
  return count === undefined ? (picked[0] ?? null) : picked;
}
