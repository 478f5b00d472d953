import { failure, OUT_OF_RANGE } from '../keyspace/failure.js';
import { formatDouble } from '../keyspace/formatDouble.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SortedSet, type Scored } from '../keyspace/values/SortedSet.js';
import { countAt, readKeyCount, wordAt } from '../keyspace/words.js';
import { eachInSteps, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { multiPopWait, popWait } from './Blocking.js';
import { family, writes, writesWhole } from './Command.js';
import { assertAnswerable, assertElements } from './limits.js';
import { countOption, POPS, readCountOption, waitingPopArgs } from './listPops.js';
import { flattenScored } from './sortedSetRanges.js';

type End = 'MIN' | 'MAX';

const key = top.key();
const multiPopArgs = [
  inBody.keys({ isCounted: true }),
  inBody.choice('where', 'MIN', 'MAX'),
  inBody.option('count', integer, 'COUNT'),
];

/** Commands that remove the members with the lowest or highest scores. */
export const sortedSetPops = family({
  bzmpop: writesWhole(
    'Removes and returns members of the first sorted set that is not empty.',
    [inBody.timeout(), ...multiPopArgs],
    'keyAndMembers',
    { ...POPS, blocks: multiPopWait('zset') },
    (db, args) => popFromFirst(db, args.slice(1)),
  ),
  bzpopmax: writesWhole(
    'Removes and returns the member with the highest score; waits for one.',
    waitingPopArgs,
    'keyAndMember',
    { ...POPS, blocks: popWait('zset') },
    (db, args) => popFromAny(db, args.slice(0, -1), 'MAX'),
  ),
  bzpopmin: writesWhole(
    'Removes and returns the member with the lowest score; waits for one.',
    waitingPopArgs,
    'keyAndMember',
    { ...POPS, blocks: popWait('zset') },
    (db, args) => popFromAny(db, args.slice(0, -1), 'MIN'),
  ),
  zmpop: writesWhole(
    'Removes and returns members of the first sorted set that is not empty.',
    multiPopArgs,
    'keyAndMembers',
    POPS,
    popFromFirst,
  ),
  zpopmax: writes(
    'Removes and returns the members with the highest scores.',
    [key, countOption],
    'texts',
    { cost: 'by count', frees: true },
    (db, args) => popScored(db, args, 'MAX'),
  ),
  zpopmin: writes(
    'Removes and returns the members with the lowest scores.',
    [key, countOption],
    'texts',
    { cost: 'by count', frees: true },
    (db, args) => popScored(db, args, 'MIN'),
  ),
});

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
