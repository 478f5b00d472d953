import { failure, SYNTAX_ERROR, WRONG_TYPE } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import { ByteBuffer } from '../keyspace/values/ByteBuffer.js';
import { HashValue, SetValue } from '../keyspace/values/collections.js';
import { ListValue } from '../keyspace/values/ListValue.js';
import { SortedSet } from '../keyspace/values/SortedSet.js';
import { asFloat, integerAt, wordAt } from '../keyspace/words.js';
import { sortInSteps } from '../steps/sortInSteps.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, keyword, LIST, name, text } from './ArgumentKind.js';
import { argumentsAt, inBody, top } from './argumentsAt.js';
import type { Home } from './ArgumentSource.js';
import { family, readsWhole, writesWhole } from './Command.js';
import { toList, toWord, type CommandPart } from './CommandPart.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './limits.js';

interface SortRequest {
  readonly by: string | undefined;
  readonly get: readonly string[];
  readonly isDescending: boolean;
  readonly isAlpha: boolean;
  readonly offset: number;
  /** Below 0: no limit. */
  readonly count: number;
  readonly store: string | undefined;
}

const key = top.key();

/** Commands that sort elements of any collection. */
export const sorting = family({
  sort: writesWhole(
    'Sorts a list, set or sorted set.',
    [key, sortParts('body'), inBody.option('store', name, 'STORE')],
    'sorted',
    function* (db, args) {
      const request = readOptions(args, true);
      const sorted = yield* sort(db, wordAt(args, 0), request);
      if (request.store === undefined) return sorted;
      const list = new ListValue();
      const elements = yield* mapInSteps(sorted, (element) => element ?? '');
      yield* eachInSteps(elements, (element) => list.push(element));
      if (list.size === 0) db.delete(request.store);
      else db.set(request.store, list);
      // The result also depends on other keys at this moment, so the log records the result itself.
      const removal = ['DEL', request.store];
      db.effects = list.size === 0 ? [removal] : [removal, ['RPUSH', request.store, ...elements]];
      return list.size;
    },
  ),
  sort_ro: readsWhole('Sorts a list, set or sorted set.', [key, sortParts('top')], 'textsOrNulls', (db, args) =>
    sort(db, wordAt(args, 0), readOptions(args, false)),
  ),
});

/** The options of sort except `store`; `offset` has an effect only with `count`. */
function sortParts(home: Home): CommandPart {
  const at = argumentsAt(home);
  const by = at.option('by', text, 'BY');
  const direction = at.option('direction', keyword('ASC', 'DESC'));
  const alpha = at.flag('alpha');
  return {
    args: [
      ...[by, direction, alpha].flatMap(({ args }) => args),
      { name: 'get', home, kind: LIST, isRequired: false },
      { name: 'offset', home, kind: integer, isRequired: false },
      { name: 'count', home, kind: integer, isRequired: false },
    ],
    append: (source, words) => {
      by.append(source, words);
      const count = source.read('count', home);
      if (count !== undefined) {
        const offset = source.read('offset', home) ?? 0;
        words.push('LIMIT', toWord('offset', integer, offset), toWord('count', integer, count));
      }
      for (const pattern of toList(source.read('get', home))) words.push('GET', toWord('get', text, pattern));
      direction.append(source, words);
      alpha.append(source, words);
    },
  };
}

function readOptions(args: readonly string[], mayStore: boolean): SortRequest {
  let [by, store]: [string | undefined, string | undefined] = [undefined, undefined];
  let [isDescending, isAlpha, offset, count] = [false, false, 0, -1];
  const get: string[] = [];
  for (let at = 1; at < args.length; at++) {
    const option = wordAt(args, at).toUpperCase();
    if (option === 'ASC') isDescending = false;
    else if (option === 'DESC') isDescending = true;
    else if (option === 'ALPHA') isAlpha = true;
    else if (option === 'BY') by = wordAt(args, ++at);
    else if (option === 'GET') get.push(wordAt(args, ++at));
    else if (option === 'STORE' && mayStore) store = wordAt(args, ++at);
    else if (option === 'LIMIT') {
      [offset, count] = [integerAt(args, at + 1), integerAt(args, at + 2)];
      at += 2;
    } else throw failure(SYNTAX_ERROR);
  }
  return { by, get, isDescending, isAlpha, offset, count, store };
}

function* elementsOf(db: Keyspace, key: string): Steps<string[]> {
  const value = db.use(key)?.value;
  if (value === undefined) return [];
  if (value instanceof ListValue || value instanceof SetValue || value instanceof SortedSet)
    assertElements(value.size, MAX_SORTED_ELEMENTS);
  if (value instanceof ListValue) return yield* mapInSteps(value.elements(), (each) => each);
  if (value instanceof SetValue) return yield* mapInSteps(value.members.values(), ({ key: member }) => member);
  if (value instanceof SortedSet) return yield* mapInSteps(value, ({ member }) => member);
  throw failure(WRONG_TYPE);
}

function* sort(db: Keyspace, key: string, request: SortRequest): Steps<(string | null)[]> {
  const { by, isDescending, store } = request;
  const isSorted = by === undefined || by.includes('*');
  const elements = yield* elementsOf(db, key);
  const value = db.find(key)?.value;
  let ordered: readonly string[] = elements;
  if (isSorted) ordered = yield* order(db, elements, request);
  else if (value instanceof SortedSet && isDescending) ordered = elements.reverse();
  // The order of a set is arbitrary: the stored result must be the same each time.
  else if (value instanceof SetValue && store !== undefined)
    ordered = yield* order(db, elements, { ...request, by: undefined, isAlpha: true });
  const limited = limit(ordered, request);
  if (request.get.length === 0) return [...limited];
  assertElements(limited.length * request.get.length);
  const found: (string | null)[] = [];
  let left = ELEMENTS_PER_STEP;
  for (const element of limited) {
    for (const pattern of request.get) found.push(lookUp(db, pattern, element));
    left -= request.get.length;
    if (left > 0) continue;
    yield;
    left = ELEMENTS_PER_STEP;
  }
  return found;
}

function* order(
  db: Keyspace,
  elements: readonly string[],
  { by, isAlpha, isDescending }: SortRequest,
): Steps<string[]> {
  const direction = isDescending ? -1 : 1;
  const weightOf = (element: string) => (by === undefined ? element : lookUp(db, by, element));
  if (isAlpha) {
    const rows = yield* mapInSteps(elements, (element) => ({ element, weight: weightOf(element) }));
    const sorted = yield* sortInSteps(
      rows,
      (left, right) =>
        direction * compareTexts(left.weight, right.weight) || direction * compareTexts(left.element, right.element),
    );
    return yield* mapInSteps(sorted, ({ element }) => element);
  }
  const rows = yield* mapInSteps(elements, (element) => ({
    element,
    score: toScore(weightOf(element)),
  }));
  const sorted = yield* sortInSteps(
    rows,
    (left, right) =>
      direction * compareScores(left.score, right.score) || direction * compareTexts(left.element, right.element),
  );
  return yield* mapInSteps(sorted, ({ element }) => element);
}

function compareScores(left: number, right: number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Absent values come first. */
function compareTexts(left: string | null, right: string | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}

function toScore(weight: string | null): number {
  if (weight === null) return 0;
  const score = weight === '' ? 0 : asFloat(weight.trimStart());
  if (score === undefined) throw failure("ERR One or more scores can't be converted into double");
  return score;
}

function limit(elements: readonly string[], { offset, count }: SortRequest): readonly string[] {
  const first = Math.max(0, offset);
  return count < 0 ? elements.slice(first) : elements.slice(first, first + count);
}

/** The value that a pattern refers to for an element: `#`, `key_*`, or `hash_*->field`. */
function lookUp(db: Keyspace, pattern: string, element: string): string | null {
  if (pattern === '#') return element;
  const star = pattern.indexOf('*');
  if (star < 0) return null;
  const arrow = pattern.indexOf('->', star + 1);
  const hasField = arrow >= 0 && arrow + 2 < pattern.length;
  const end = hasField ? arrow : pattern.length;
  const key = pattern.slice(0, star) + element + pattern.slice(star + 1, end);
  const value = db.use(key)?.value;
  if (hasField) return value instanceof HashValue ? (value.get(pattern.slice(arrow + 2)) ?? null) : null;
  if (typeof value === 'string') return value;
  return value instanceof ByteBuffer ? value.toByteText() : null;
}
