import { failure, NO_SUCH_KEY, OUT_OF_RANGE, SYNTAX_ERROR } from '../failure.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import { times } from '../pickRandom.js';
import type { Reply } from '../Reply.js';
import { ListValue } from '../values/ListValue.js';
import { countAt, integerAt, toRange, wordAt } from '../words.js';
import type { Handlers } from './Handlers.js';
import { assertAnswerable } from './assertAnswerable.js';
import { assertElements } from './assertElements.js';
import { findPositions } from './findPositions.js';
import { readKeyCount } from './readKeyCount.js';

type End = 'LEFT' | 'RIGHT';

/** Read-only commands on lists. */
export const listReaders: Handlers = {
  LLEN: (db, args) => db.collection(wordAt(args, 0), ListValue)?.size ?? 0,
  LINDEX: (db, args) => {
    const list = db.collection(wordAt(args, 0), ListValue);
    const index = integerAt(args, 1);
    return list?.at(index < 0 ? list.size + index : index) ?? null;
  },
  LRANGE: (db, args) => {
    const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
    const list = db.collection(wordAt(args, 0), ListValue);
    if (list === undefined) return [];
    const [first, last] = toRange(start, stop, list.size);
    assertElements(last - first + 1);
    return mapInSteps(list.elements(first, last), (element) => element);
  },
  LPOS: findPositions,
};

/** Write commands on lists. */
export const listWriters: Handlers = {
  LPUSH: (db, args) => push(db, args, 'LEFT'),
  RPUSH: (db, args) => push(db, args, 'RIGHT'),
  LPUSHX: (db, args) => pushToExisting(db, args, 'LEFT'),
  RPUSHX: (db, args) => pushToExisting(db, args, 'RIGHT'),
  LPOP: (db, args) => pop(db, args, 'LEFT'),
  RPOP: (db, args) => pop(db, args, 'RIGHT'),
  LSET: setElement,
  LINSERT: insert,
  LREM: removeEqual,
  LTRIM: trim,
  RPOPLPUSH: (db, args) => move(db, args, 'RIGHT', 'LEFT'),
  LMOVE: (db, args) => move(db, args, endAt(args, 2), endAt(args, 3)),
  LMPOP: (db, args) => popFromFirst(db, args),
  // The engine handles waiting: these handlers answer at once, as in a transaction.
  BLPOP: (db, args) => popFromAny(db, args.slice(0, -1), 'LEFT'),
  BRPOP: (db, args) => popFromAny(db, args.slice(0, -1), 'RIGHT'),
  BRPOPLPUSH: (db, args) => move(db, args, 'RIGHT', 'LEFT'),
  BLMOVE: (db, args) => move(db, args, endAt(args, 2), endAt(args, 3)),
  BLMPOP: (db, args) => popFromFirst(db, args.slice(1)),
};

function endAt(args: readonly string[], at: number): End {
  const end = wordAt(args, at).toUpperCase();
  if (end !== 'LEFT' && end !== 'RIGHT') throw failure(SYNTAX_ERROR);
  return end;
}

function* push(db: Keyspace, args: readonly string[], end: End): Steps<number> {
  const key = wordAt(args, 0);
  const list = db.changingOrNew(key, ListValue);
  yield* eachInSteps(args.slice(1), (element) => {
    if (end === 'LEFT') list.pushFirst(element);
    else list.push(element);
  });
  db.changed(key);
  return list.size;
}

function pushToExisting(db: Keyspace, args: readonly string[], end: End): number | Steps<number> {
  return db.collection(wordAt(args, 0), ListValue) === undefined ? 0 : push(db, args, end);
}

function takeFrom(list: ListValue, end: End): string {
  return (end === 'LEFT' ? list.takeFirst() : list.takeLast()) ?? '';
}

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

function setElement(db: Keyspace, args: readonly string[]): Reply {
  const key = wordAt(args, 0);
  const list = db.changing(key, ListValue);
  if (list === undefined) throw failure(NO_SUCH_KEY);
  const index = integerAt(args, 1);
  const at = index < 0 ? list.size + index : index;
  if (list.at(at) === undefined) throw failure('ERR index out of range');
  list.set(at, wordAt(args, 2));
  db.changed(key);
  return 'OK';
}

function* insert(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const [key, position, pivot] = [wordAt(args, 0), wordAt(args, 1).toUpperCase(), wordAt(args, 2)];
  if (position !== 'BEFORE' && position !== 'AFTER') throw failure(SYNTAX_ERROR);
  const list = db.changing(key, ListValue);
  if (list === undefined) return 0;
  assertElements(list.size);
  for (let at = 0; at < list.size; at++) {
    if (at % ELEMENTS_PER_STEP === 0) yield;
    if (list.at(at) !== pivot) continue;
    list.insert(position === 'BEFORE' ? at : at + 1, wordAt(args, 3));
    db.changed(key);
    return list.size;
  }
  return -1;
}

function* removeEqual(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const [key, element] = [wordAt(args, 0), wordAt(args, 2)];
  const count = integerAt(args, 1);
  const list = db.changing(key, ListValue);
  if (list === undefined) return 0;
  assertElements(list.size);
  const elements = yield* mapInSteps(list.elements(), (each) => each);
  if (count < 0) elements.reverse();
  let left = count === 0 ? Infinity : Math.abs(count);
  const kept = yield* mapInSteps(elements, (each) => (each !== element || --left < 0 ? each : undefined));
  const removedCount = elements.length - kept.length;
  if (removedCount === 0) return 0;
  list.clear();
  yield* eachInSteps(count < 0 ? kept.reverse() : kept, (each) => list.push(each));
  db.changed(key);
  return removedCount;
}

function* trim(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
  const list = db.changing(key, ListValue);
  if (list === undefined) return 'OK';
  const [first, last] = toRange(start, stop, list.size);
  const [ahead, behind] = first > last ? [list.size, 0] : [first, Math.max(0, list.size - 1 - last)];
  if (ahead >= list.size) list.clear();
  yield* eachInSteps(times(Math.min(ahead, list.size)), () => void list.takeFirst());
  yield* eachInSteps(times(Math.min(behind, list.size)), () => void list.takeLast());
  db.changed(key);
  return 'OK';
}

function move(db: Keyspace, args: readonly string[], from: End, to: End): Reply {
  const [source, destination] = [wordAt(args, 0), wordAt(args, 1)];
  const list = db.changing(source, ListValue);
  if (list === undefined) return null;
  const target = source === destination ? list : db.changingOrNew(destination, ListValue);
  const element = takeFrom(list, from);
  if (to === 'LEFT') target.pushFirst(element);
  else target.push(element);
  db.changed(source);
  if (target !== list) db.changed(destination);
  db.readyKeys.add(destination);
  db.effects = [['LMOVE', source, destination, from, to]];
  return element;
}
