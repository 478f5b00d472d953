import { failure, NO_SUCH_KEY, SYNTAX_ERROR } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { ListValue } from '../keyspace/values/ListValue.js';
import { countAt, integerAt, toRange, wordAt } from '../keyspace/words.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, value } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { moveWait } from './Blocking.js';
import { family, FREES, reads, readsWhole, removesWhole, writes, writesWhole } from './Command.js';
import { assertElements } from './limits.js';
import { times } from './pickRandom.js';

const key = top.key();
/** The keywords of ends. */
export const ENDS = ['LEFT', 'RIGHT'] as const;
const moveArgs = [inBody.key('source'), inBody.key('destination')];
const moveEnds = [inBody.choice('wherefrom', ...ENDS), inBody.choice('whereto', ...ENDS)];
const pushArgs = [key, inBody.list('value', 'values', value)];
const pushToExistingArgs = [key, inBody.value(), inBody.list('', 'values', value, 0)];

/** Left or right of a list. */
export type End = 'LEFT' | 'RIGHT';

/** Commands on lists, except those that remove the first or last elements. */
export const lists = family({
  blmove: writesWhole(
    'Moves an element to another list; waits for one.',
    [...moveArgs, ...moveEnds, inBody.timeout()],
    'textOrNull',
    { blocks: moveWait },
    (db, args) => move(db, args, endAt(args, 2), endAt(args, 3)),
  ),
  brpoplpush: writesWhole(
    'Moves the last element to another list; waits for one.',
    [...moveArgs, inBody.timeout()],
    'textOrNull',
    { blocks: moveWait },
    (db, args) => move(db, args, 'RIGHT', 'LEFT'),
  ),
  lindex: reads('Returns an element by position.', [key, top.integer('idx')], 'textOrNull', (db, args) => {
    const list = db.collection(wordAt(args, 0), ListValue);
    const index = integerAt(args, 1);
    return list?.at(index < 0 ? list.size + index : index) ?? null;
  }),
  linsert: writesWhole(
    'Inserts before or after an element.',
    [key, inBody.choice('position', 'BEFORE', 'AFTER'), inBody.value('pivot'), inBody.value()],
    'integer',
    insert,
  ),
  llen: reads('Counts elements.', [key], 'integer', (db, args) => db.collection(wordAt(args, 0), ListValue)?.size ?? 0),
  lmove: writes('Moves an element to another list.', [...moveArgs, ...moveEnds], 'textOrNull', (db, args) =>
    move(db, args, endAt(args, 2), endAt(args, 3)),
  ),
  lpos: readsWhole(
    'Finds an element.',
    [
      key,
      top.value('element'),
      top.option('rank', integer, 'RANK'),
      top.option('count', integer, 'COUNT'),
      top.option('maxlen', integer, 'MAXLEN'),
    ],
    'positions',
    { paths: ['/:_id/:element', '/:_id'] },
    findPositions,
  ),
  lpush: writes('Prepends elements.', pushArgs, 'integer', (db, args) => push(db, args, 'LEFT')),
  lpushx: writes('Prepends elements to a list that exists.', pushToExistingArgs, 'integer', (db, args) =>
    pushToExisting(db, args, 'LEFT'),
  ),
  lrange: readsWhole(
    'Returns elements by position.',
    [key, top.integer('start'), top.integer('stop')],
    'texts',
    (db, args) => {
      const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
      const list = db.collection(wordAt(args, 0), ListValue);
      if (list === undefined) return [];
      const [first, last] = toRange(start, stop, list.size);
      assertElements(last - first + 1);
      return mapInSteps(list.elements(first, last), (element) => element);
    },
  ),
  lrem: removesWhole('Removes equal elements.', [key, inBody.integer('count'), inBody.value()], 'integer', removeEqual),
  lset: writes('Replaces an element.', [key, inBody.integer('idx'), inBody.value()], 'ok', setElement),
  ltrim: writesWhole(
    'Removes all elements outside a range.',
    [key, inBody.integer('start'), inBody.integer('stop')],
    'ok',
    FREES,
    trim,
  ),
  rpoplpush: writes('Moves the last element to another list.', moveArgs, 'textOrNull', (db, args) =>
    move(db, args, 'RIGHT', 'LEFT'),
  ),
  rpush: writes('Appends elements.', pushArgs, 'integer', (db, args) => push(db, args, 'RIGHT')),
  rpushx: writes('Appends elements to a list that exists.', pushToExistingArgs, 'integer', (db, args) =>
    pushToExisting(db, args, 'RIGHT'),
  ),
});

/** @throws ERR syntax error for another word */
export function endAt(args: readonly string[], at: number): End {
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

/** Removes the first or last element; an empty string if there is none. */
export function takeFrom(list: ListValue, end: End): string {
  return (end === 'LEFT' ? list.takeFirst() : list.takeLast()) ?? '';
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

/** LPOS: the positions of an element, from either end. */
function* findPositions(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const element = wordAt(args, 1);
  const { rank, count, maxLength } = readOptions(args);
  const list = db.collection(wordAt(args, 0), ListValue);
  if (list === undefined) return count === undefined ? null : [];
  const found: number[] = [];
  const wanted = count === undefined ? 1 : count === 0 ? Infinity : count;
  let toSkip = Math.abs(rank) - 1;
  const steps = maxLength === 0 ? list.size : Math.min(maxLength, list.size);
  assertElements(steps);
  for (let step = 0; step < steps && found.length < wanted; step++) {
    if (step % ELEMENTS_PER_STEP === 0) yield;
    const at = rank > 0 ? step : list.size - 1 - step;
    if (list.at(at) !== element) continue;
    if (toSkip-- <= 0) found.push(at);
  }
  return count === undefined ? (found[0] ?? null) : found;
}

function readOptions(args: readonly string[]) {
  let [rank, maxLength]: [number, number] = [1, 0];
  let count: number | undefined;
  for (let at = 2; at < args.length; at += 2) {
    switch (wordAt(args, at).toUpperCase()) {
      case 'RANK':
        rank = integerAt(args, at + 1);
        if (rank === 0)
          throw failure(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
          );
        break;
      case 'COUNT':
        count = countAt(args, at + 1, "ERR COUNT can't be negative");
        break;
      case 'MAXLEN':
        maxLength = countAt(args, at + 1, "ERR MAXLEN can't be negative");
        break;
      default:
        throw failure(SYNTAX_ERROR);
    }
  }
  return { rank, count, maxLength };
}
