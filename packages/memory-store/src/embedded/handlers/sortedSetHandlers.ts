import { failure, OUT_OF_RANGE } from '../failure.js';
import { formatDouble } from '../formatDouble.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import type { Reply } from '../Reply.js';
import { SortedSet, type Scored } from '../values/SortedSet.js';
import { countAt, integerAt, toRange, wordAt } from '../words.js';
import { assertAnswerable } from './assertAnswerable.js';
import { assertElements } from './assertElements.js';
import { addScored } from './addScored.js';
import { flattenScored } from './flattenScored.js';
import type { Handlers } from './Handlers.js';
import { readCountOption } from './listHandlers.js';
import { assertRepeatable, times } from '../pickRandom.js';
import { readKeyCount } from './readKeyCount.js';
import { lexRange, rankRange, scoreRange } from './sortedSetRanges.js';

type End = 'MIN' | 'MAX';

/** Read-only commands on sorted sets, except ranges and combinations. */
export const sortedSetReaders: Handlers = {
  ZCARD: (db, args) => db.collection(wordAt(args, 0), SortedSet)?.size ?? 0,
  ZSCORE: (db, args) => {
    const score = db.collection(wordAt(args, 0), SortedSet)?.scoreOf(wordAt(args, 1));
    return score === undefined ? null : formatDouble(score);
  },
  ZMSCORE: (db, args) => {
    const set = db.collection(wordAt(args, 0), SortedSet);
    return mapInSteps(args.slice(1), (member) => {
      const score = set?.scoreOf(member);
      return score === undefined ? null : formatDouble(score);
    });
  },
  ZRANK: (db, args) => db.collection(wordAt(args, 0), SortedSet)?.rankOf(wordAt(args, 1)) ?? null,
  ZREVRANK: (db, args) => {
    const set = db.collection(wordAt(args, 0), SortedSet);
    const rank = set?.rankOf(wordAt(args, 1));
    return set === undefined || rank === undefined ? null : set.size - 1 - rank;
  },
  ZCOUNT: (db, args) => {
    const range = scoreRange(wordAt(args, 1), wordAt(args, 2));
    return countIn(db.collection(wordAt(args, 0), SortedSet), range);
  },
  ZLEXCOUNT: (db, args) => {
    const range = lexRange(wordAt(args, 1), wordAt(args, 2));
    return countIn(db.collection(wordAt(args, 0), SortedSet), range);
  },
  ZRANDMEMBER: randomMembers,
};

/** Write commands on sorted sets, except those that store results. */
export const sortedSetWriters: Handlers = {
  ZADD: addScored,
  ZINCRBY: (db, args) => addScored(db, [wordAt(args, 0), 'INCR', wordAt(args, 1), wordAt(args, 2)]),
  *ZREM(db, args) {
    const key = wordAt(args, 0);
    const set = db.changing(key, SortedSet);
    if (set === undefined) return 0;
    let removed = 0;
    yield* eachInSteps(args.slice(1), (member) => {
      if (set.delete(member)) removed++;
    });
    if (removed > 0) db.changed(key);
    return removed;
  },
  ZREMRANGEBYRANK: (db, args) => {
    const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
    return removeRange(db, wordAt(args, 0), (set) => toRange(start, stop, set.size));
  },
  ZREMRANGEBYSCORE: (db, args) => {
    const range = scoreRange(wordAt(args, 1), wordAt(args, 2));
    return removeRange(db, wordAt(args, 0), (set) => rankRange(set, range));
  },
  ZREMRANGEBYLEX: (db, args) => {
    const range = lexRange(wordAt(args, 1), wordAt(args, 2));
    // Members with different scores are not in lexical order: members between two ranks may be outside the range.
    const isWithin = ({ score, member }: Scored) => !range.isBelow(score, member) && range.isNotAbove(score, member);
    return removeRange(db, wordAt(args, 0), (set) => rankRange(set, range), isWithin);
  },
  ZPOPMIN: (db, args) => popScored(db, args, 'MIN'),
  ZPOPMAX: (db, args) => popScored(db, args, 'MAX'),
  ZMPOP: (db, args) => popFromFirst(db, args),
  // The engine handles waiting: these handlers answer at once, as in a transaction.
  BZPOPMIN: (db, args) => popFromAny(db, args.slice(0, -1), 'MIN'),
  BZPOPMAX: (db, args) => popFromAny(db, args.slice(0, -1), 'MAX'),
  BZMPOP: (db, args) => popFromFirst(db, args.slice(1)),
};

function countIn(set: SortedSet | undefined, range: Parameters<typeof rankRange>[1]): number {
  if (set === undefined) return 0;
  const [first, last] = rankRange(set, range);
  return Math.max(0, last - first + 1);
}

function* removeRange(
  db: Keyspace,
  key: string,
  rangeIn: (set: SortedSet) => [number, number],
  isRemoved: (each: Scored) => boolean = () => true,
): Steps<Reply> {
  const set = db.changing(key, SortedSet);
  if (set === undefined) return 0;
  const [first, last] = rangeIn(set);
  assertElements(last - first + 1);
  const found = yield* mapInSteps(set.ranks(first, last), (each) => each);
  let removed = 0;
  yield* eachInSteps(found, (each) => {
    if (isRemoved(each) && set.delete(each.member)) removed++;
  });
  if (removed > 0) db.changed(key);
  return removed;
}

/** Removes members from one end and logs them. */
function* take(db: Keyspace, key: string, end: End, count: number): Steps<readonly Scored[]> {
  const set = db.changing(key, SortedSet);
  if (set === undefined || count <= 0) return [];
  const takenCount = Math.min(count, set.size);
  assertElements(takenCount);
  const first = end === 'MIN' ? 0 : set.size - takenCount;
  const taken = yield* mapInSteps(set.ranks(first, first + takenCount - 1), (each) => each);
  if (end === 'MAX') taken.reverse();
  const members = taken.map(({ member }) => member);
  yield* assertAnswerable(members);
  yield* eachInSteps(members, (member) => void set.delete(member));
  db.changed(key);
  db.effects = [['ZREM', key, ...members]];
  return taken;
}

function* popScored(db: Keyspace, args: readonly string[], end: End): Steps<Reply> {
  const count = args.length > 1 ? countAt(args, 1, OUT_OF_RANGE) : 1;
  db.collection(wordAt(args, 0), SortedSet);
  return yield* flattenScored(yield* take(db, wordAt(args, 0), end, count));
}

function* popFromAny(db: Keyspace, keys: readonly string[], end: End): Steps<Reply> {
  const key = keys.find((each) => db.collection(each, SortedSet) !== undefined);
  return key === undefined ? null : [key, ...(yield* flattenScored(yield* take(db, key, end, 1)))];
}

function* popFromFirst(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const { keys, rest } = readKeyCount(args);
  const end = wordAt(rest, 0).toUpperCase();
  if (end !== 'MIN' && end !== 'MAX') throw failure('ERR syntax error');
  const count = readCountOption(rest);
  const key = keys.find((each) => db.collection(each, SortedSet) !== undefined);
  if (key === undefined) return null;
  const taken = yield* take(db, key, end, count);
  return [key, yield* mapInSteps(taken, ({ member, score }) => [member, formatDouble(score)])];
}

function* randomMembers(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const count = args.length > 1 ? integerAt(args, 1) : undefined;
  const set = db.collection(wordAt(args, 0), SortedSet);
  if (set === undefined) return count === undefined ? null : [];
  const randomRank = () => Math.floor(Math.random() * set.size);
  const at = (rank: number): Scored => set.slice(rank, rank)[0] as Scored;
  if (count === undefined) return at(randomRank()).member;
  assertRepeatable(count);
  const picked = count < 0 ? yield* mapInSteps(times(-count), () => at(randomRank())) : yield* distinct(set, count);
  return args.length > 2 ? yield* flattenScored(picked) : picked.map(({ member }) => member);
}

function* distinct(set: SortedSet, count: number): Steps<readonly Scored[]> {
  assertElements(Math.min(count, set.size));
  if (count >= set.size) return yield* mapInSteps(set, (each) => each);
  const ranks = new Set<number>();
  // Draws the members to pick or those to leave out, whichever are fewer.
  const isFew = count * 2 <= set.size;
  const drawn = isFew ? count : set.size - count;
  for (let draws = 1; ranks.size < drawn; draws++) {
    ranks.add(Math.floor(Math.random() * set.size));
    if (draws % ELEMENTS_PER_STEP === 0) yield;
  }
  if (isFew) return yield* mapInSteps(ranks, (rank) => set.slice(rank, rank)[0]);
  assertElements(set.size);
  let rank = 0;
  return yield* mapInSteps(set, (each) => (ranks.has(rank++) ? undefined : each));
}
