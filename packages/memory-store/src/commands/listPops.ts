import { failure, OUT_OF_RANGE, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { ListValue } from '../keyspace/values/ListValue.js';
import { countAt, readKeyCount, wordAt } from '../keyspace/words.js';
import { eachInSteps, type Steps } from '../steps/Steps.js';
import { integer } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { multiPopWait, popWait, waitedKeys } from './Blocking.js';
import { family, FREES, KEY_LAST, writes, writesWhole } from './Command.js';
import { assertAnswerable, assertElements } from './limits.js';
import { endAt, ENDS, takeFrom, type End } from './lists.js';
import { times } from './pickRandom.js';

/** How many elements; default: one. */
export const countOption = inBody.option('count', integer);
const key = top.key();
/** What all commands that remove elements have in common. */
export const POPS = { ...KEY_LAST, ...FREES };
const multiPopArgs = [
  inBody.keys({ isCounted: true }),
  inBody.choice('where', ...ENDS),
  inBody.option('count', integer, 'COUNT'),
];
/** The arguments of a command that waits for an element. */
export const waitingPopArgs = [waitedKeys, inBody.timeout()];

/** Commands that remove the first or last elements of a list. */
export const listPops = family({
  blmpop: writesWhole(
    'Removes and returns elements of the first list that is not empty.',
    [inBody.timeout(), ...multiPopArgs],
    'keyAndTexts',
    { ...POPS, blocks: multiPopWait('list') },
    (db, args) => popFromFirst(db, args.slice(1)),
  ),
  blpop: writesWhole(
    'Removes and returns the first element; waits for one.',
    waitingPopArgs,
    'keyAndText',
    { ...POPS, blocks: popWait('list') },
    (db, args) => popFromAny(db, args.slice(0, -1), 'LEFT'),
  ),
  brpop: writesWhole(
    'Removes and returns the last element; waits for one.',
    waitingPopArgs,
    'keyAndText',
    { ...POPS, blocks: popWait('list') },
    (db, args) => popFromAny(db, args.slice(0, -1), 'RIGHT'),
  ),
  lmpop: writesWhole(
    'Removes and returns elements of the first list that is not empty.',
    multiPopArgs,
    'keyAndTexts',
    POPS,
    popFromFirst,
  ),
  lpop: writes(
    'Removes and returns the first elements.',
    [key, countOption],
    'picked',
    { cost: 'by count', frees: true },
    (db, args) => pop(db, args, 'LEFT'),
  ),
  rpop: writes(
    'Removes and returns the last elements.',
    [key, countOption],
    'picked',
    { cost: 'by count', frees: true },
    (db, args) => pop(db, args, 'RIGHT'),
  ),
});

/** Removes elements from one end and logs how many. */
function* take(db: Keyspace, key: string, end: End, count: number): Steps<string[]> {
  const list = db.changing(key, ListValue);
  const taken: string[] = [];
  if (list !== undefined) {
    const takenCount = Math.min(count, list.size);
    assertElements(takenCount);
    const last = list.size - 1;
    yield* assertAnswerable(
      end === 'LEFT' ? list.elements(0, takenCount - 1) : list.elements(last - takenCount + 1, last),
    );
    yield* eachInSteps(times(takenCount), () => void taken.push(takeFrom(list, end)));
  }
  if (taken.length > 0) db.changed(key);
  db.effects = [[end === 'LEFT' ? 'LPOP' : 'RPOP', key, String(taken.length)]];
  return taken;
}

function* pop(db: Keyspace, args: readonly string[], end: End): Steps<Reply> {
  const key = wordAt(args, 0);
  if (args.length > 2) throw failure(`ERR wrong number of arguments for '${end === 'LEFT' ? 'l' : 'r'}pop' command`);
  const count = args.length === 2 ? countAt(args, 1, OUT_OF_RANGE) : undefined;
  if (db.collection(key, ListValue) === undefined) return null;
  if (count === undefined) return (yield* take(db, key, end, 1))[0] ?? null;
  return count === 0 ? [] : yield* take(db, key, end, count);
}

function* popFromAny(db: Keyspace, keys: readonly string[], end: End): Steps<Reply> {
  const key = keys.find((each) => db.collection(each, ListValue) !== undefined);
  return key === undefined ? null : [key, (yield* take(db, key, end, 1))[0] ?? null];
}

function* popFromFirst(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const { keys, rest } = readKeyCount(args);
  const end = endAt(rest, 0);
  const count = readCountOption(rest);
  const key = keys.find((each) => db.collection(each, ListValue) !== undefined);
  return key === undefined ? null : [key, yield* take(db, key, end, count)];
}

/** `COUNT n` at the second position, default 1. */
export function readCountOption(rest: readonly string[]): number {
  if (rest.length === 1) return 1;
  if (rest.length !== 3 || rest[1]?.toUpperCase() !== 'COUNT') throw failure(SYNTAX_ERROR);
  const count = Number(rest[2]);
  if (!Number.isInteger(count) || count < 1) throw failure('ERR count should be greater than 0');
  return count;
}
