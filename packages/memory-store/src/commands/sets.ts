import { failure, NOT_AN_INTEGER, OUT_OF_RANGE, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SetValue, type HashValue } from '../keyspace/values/collections.js';
import type { SortedSet } from '../keyspace/values/SortedSet.js';
import { countAt, integerAt, readKeyCount, wordAt } from '../keyspace/words.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, value } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { family, KEY_FIRST, reads, readsWhole, removes, writes, writesWhole, type Run } from './Command.js';
import { assertAnswerable, assertElements, MAX_COMBINED_ELEMENTS } from './limits.js';
import { pickRandom } from './pickRandom.js';

const key = top.key();
const members = (at: typeof top) => at.list('member', 'members', value);
const count = inBody.option('count', integer);
const storeArgs = [inBody.key('destination'), inBody.keys()];

/** Commands on sets. */
export const sets = family({
  sadd: writes('Adds members.', [key, members(inBody)], 'integer', function* (db, args) {
    const key = wordAt(args, 0);
    const set = db.changingOrNew(key, SetValue);
    let added = 0;
    yield* eachInSteps(args.slice(1), (member) => {
      if (set.add(member)) added++;
    });
    if (added > 0) db.changed(key);
    return added;
  }),
  scard: reads('Counts members.', [key], 'integer', (db, args) => db.collection(wordAt(args, 0), SetValue)?.size ?? 0),
  sdiff: readsWhole('Returns the members that only the first set has.', [top.keys()], 'texts', KEY_FIRST, difference),
  sdiffstore: writesWhole(
    'Stores the members that only the first set has.',
    storeArgs,
    'integer',
    KEY_FIRST,
    (db, args) => store(db, wordAt(args, 0), difference(db, args.slice(1))),
  ),
  sinter: readsWhole('Returns the common members.', [top.keys()], 'texts', KEY_FIRST, (db, args) =>
    intersection(db, args),
  ),
  sintercard: readsWhole(
    'Counts the common members.',
    [top.keys({ isCounted: true }), top.option('limit', integer, 'LIMIT')],
    'integer',
    KEY_FIRST,
    function* (db, args) {
      const { keys, rest } = readKeyCount(args);
      return (yield* intersection(db, keys, readLimit(rest))).length;
    },
  ),
  sinterstore: writesWhole('Stores the common members.', storeArgs, 'integer', KEY_FIRST, (db, args) =>
    store(db, wordAt(args, 0), intersection(db, args.slice(1))),
  ),
  sismember: reads('Returns whether a value is a member.', [key, top.value('member')], 'bit', (db, args) =>
    db.collection(wordAt(args, 0), SetValue)?.members.has(wordAt(args, 1)) === true ? 1 : 0,
  ),
  smembers: readsWhole('Returns all members.', [key], 'texts', (db, args) =>
    membersOf(db.collection(wordAt(args, 0), SetValue)),
  ),
  smismember: reads('Returns which values are members.', [key, members(top)], 'bits', (db, args) => {
    const set = db.collection(wordAt(args, 0), SetValue);
    return mapInSteps(args.slice(1), (member) => (set?.members.has(member) === true ? 1 : 0));
  }),
  smove: writes(
    'Moves a member.',
    [key, inBody.key('destination'), inBody.value('member')],
    'bit',
    { ...KEY_FIRST, frees: true },
    moveMember,
  ),
  spop: writes(
    'Removes and returns random members.',
    [key, count],
    'picked',
    { cost: 'by count', frees: true },
    popMembers,
  ),
  srandmember: reads(
    'Returns random members.',
    [key, top.option('count', integer)],
    'picked',
    { paths: ['/:_id/:count', '/:_id'], cost: 'unbounded' },
    (db, args) => {
      const count = args.length > 1 ? integerAt(args, 1) : undefined;
      const set = db.collection(wordAt(args, 0), SetValue);
      if (count === undefined) return set?.members.random()?.key ?? null;
      return set === undefined ? [] : pickMembers(set, count);
    },
  ),
  srem: removes('Removes members.', [key, members(inBody)], 'integer', removal(SetValue)),
  sunion: readsWhole('Returns all members of sets.', [inBody.keys()], 'texts', { method: 'POST', ...KEY_FIRST }, union),
  sunionstore: writesWhole('Stores all members of sets.', storeArgs, 'integer', KEY_FIRST, (db, args) =>
    store(db, wordAt(args, 0), union(db, args.slice(1))),
  ),
});

/** Removes elements from a collection. */
export function removal(kind: new () => SetValue | HashValue | SortedSet): Run {
  return function* (db, args) {
    const key = wordAt(args, 0);
    const collection = db.changing(key, kind);
    if (collection === undefined) return 0;
    let removed = 0;
    yield* eachInSteps(args.slice(1), (element) => {
      if (collection.delete(element)) removed++;
    });
    if (removed > 0) db.changed(key);
    return removed;
  };
}

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
