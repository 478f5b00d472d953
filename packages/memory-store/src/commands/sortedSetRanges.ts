import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import { formatDouble } from '../keyspace/formatDouble.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SortedSet, withoutSign, type Scored } from '../keyspace/values/SortedSet.js';
import { asFloat, integerAt, toRange, wordAt } from '../keyspace/words.js';
import { eachInSteps, mapInSteps, type Steps } from '../steps/Steps.js';
import { integer, name, scoreBound, text } from './ArgumentKind.js';
import { argumentsAt, inBody, top } from './argumentsAt.js';
import type { Home } from './ArgumentSource.js';
import { family, reads, readsWhole, removesWhole, writesWhole } from './Command.js';
import { readFlag, type CommandPart } from './CommandPart.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './limits.js';

const byScore = (at: typeof top, first: string, second: string) => [
  at.one(first, scoreBound),
  at.one(second, scoreBound),
];
const byText = (at: typeof top) => [at.one('min', text), at.one('max', text)];

// Redis expects the upper bound first, the path has min first (MEM-16).
const byTextDown = [top.one('max', text), top.one('min', text)];

type Test = (score: number, member: string) => boolean;

/** A range of members: neither below the start nor above the end. */
interface MemberRange {
  readonly isBelow: Test;
  /** True up to the end of the range. */
  readonly isNotAbove: Test;
}

type Kind = 'rank' | 'score' | 'text';

interface RangeRequest {
  readonly kind: Kind;
  readonly isReverse: boolean;
  readonly offset: number;
  /** Below 0: no limit. */
  readonly count: number;
}

const WHOLE = { offset: 0, count: -1 };
const key = top.key();
const scores = top.flag('withscores');

/** Commands on ranges of sorted sets. */
export const sortedSetRanges = family({
  zcount: reads('Counts members by score.', [key, ...byScore(top, 'min', 'max')], 'integer', (db, args) => {
    const range = scoreRange(wordAt(args, 1), wordAt(args, 2));
    return countIn(db.collection(wordAt(args, 0), SortedSet), range);
  }),
  zlexcount: reads('Counts members in a lexicographical range.', [key, ...byText(top)], 'integer', (db, args) => {
    const range = lexRange(wordAt(args, 1), wordAt(args, 2));
    return countIn(db.collection(wordAt(args, 0), SortedSet), range);
  }),
  zrange: readsWhole(
    'Returns members by rank, score or lexicographical order.',
    [key, rangeParts('top'), scores],
    'texts',
    (db, args) => {
      const { request, withScores } = readOptions(args, 3, 'all');
      return show(find(db, args, request), withScores);
    },
  ),
  zrangebylex: readsWhole(
    'Returns members in lexicographical order.',
    [key, ...byText(top), top.limit()],
    'texts',
    (db, args) => byKind(db, args, 'text', false),
  ),
  zrangebyscore: readsWhole(
    'Returns members by score.',
    [key, ...byScore(top, 'min', 'max'), scores, top.limit()],
    'texts',
    (db, args) => byKind(db, args, 'score', false),
  ),
  zrangestore: writesWhole(
    'Stores a range of members.',
    [inBody.one('destination', name), key, rangeParts('body')],
    'integer',
    function* (db, args) {
      const { request, withScores } = readOptions(args, 4, 'all');
      if (withScores) throw failure(SYNTAX_ERROR);
      const found = yield* find(db, args.slice(1), request);
      assertElements(found.length, MAX_SORTED_ELEMENTS);
      return yield* storeScored(db, wordAt(args, 0), found);
    },
  ),
  zremrangebylex: removesWhole(
    'Removes members in a lexicographical range.',
    [key, ...byText(inBody)],
    'integer',
    (db, args) => {
      const range = lexRange(wordAt(args, 1), wordAt(args, 2));
      // Members with different scores are not in lexical order: members between two ranks may be outside the range.
      const isWithin = ({ score, member }: Scored) => !range.isBelow(score, member) && range.isNotAbove(score, member);
      return removeRange(db, wordAt(args, 0), (set) => rankRange(set, range), isWithin);
    },
  ),
  zremrangebyrank: removesWhole(
    'Removes members by rank.',
    [key, inBody.integer('start'), inBody.integer('stop')],
    'integer',
    (db, args) => {
      const [start, stop] = [integerAt(args, 1), integerAt(args, 2)];
      return removeRange(db, wordAt(args, 0), (set) => toRange(start, stop, set.size));
    },
  ),
  zremrangebyscore: removesWhole(
    'Removes members by score.',
    [key, ...byScore(inBody, 'min', 'max')],
    'integer',
    (db, args) => {
      const range = scoreRange(wordAt(args, 1), wordAt(args, 2));
      return removeRange(db, wordAt(args, 0), (set) => rankRange(set, range));
    },
  ),
  zrevrange: readsWhole(
    'Returns members by descending rank.',
    [key, top.integer('start'), top.integer('stop'), scores],
    'texts',
    (db, args) => {
      const { withScores } = readOptions(args, 3, 'scores');
      return show(find(db, args, { kind: 'rank', isReverse: true, ...WHOLE }), withScores);
    },
  ),
  zrevrangebylex: readsWhole(
    'Returns members in descending lexicographical order.',
    [key, ...byTextDown, top.limit()],
    'texts',
    { paths: ['/:_id/:min/:max'] },
    (db, args) => byKind(db, args, 'text', true),
  ),
  zrevrangebyscore: readsWhole(
    'Returns members by descending score.',
    [key, ...byScore(top, 'max', 'min'), scores, top.limit()],
    'texts',
    (db, args) => byKind(db, args, 'score', true),
  ),
});

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

/** `start`, `stop`, their interpretation, `rev` and the limit of zrange and zrangestore. */
function rangeParts(home: Home): CommandPart {
  const at = argumentsAt(home);
  const flags = ['byscore', 'bylex', 'rev'].map((each) => at.flag(each));
  const limit = at.limit();
  return {
    args: [
      { name: 'start', home, kind: scoreBound, isRequired: true },
      { name: 'stop', home, kind: scoreBound, isRequired: true },
      ...[...flags, limit].flatMap(({ args }) => args),
    ],
    append: (source, words) => {
      const isByScore = readFlag(source, 'byscore', home);
      const kind = readFlag(source, 'bylex', home) ? text : isByScore ? scoreBound : integer;
      at.one('start', kind).append(source, words);
      at.one('stop', kind).append(source, words);
      for (const part of [...flags, limit]) part.append(source, words);
    },
  };
}

/** A score range, with bounds such as `1`, `(1`, `inf`. */
function scoreRange(min: string, max: string): MemberRange {
  const [low, high] = [readScoreBound(min), readScoreBound(max)];
  return {
    isBelow: (score) => (low.isOpen ? score <= low.score : score < low.score),
    isNotAbove: (score) => (high.isOpen ? score < high.score : score <= high.score),
  };
}

function readScoreBound(word: string) {
  const isOpen = word.startsWith('(');
  const score = asFloat(isOpen ? word.slice(1) : word);
  if (score === undefined) throw failure('ERR min or max is not a float');
  return { isOpen, score };
}

/** A lexical range, with bounds such as `[a`, `(a`, `-`, `+`; meant for members with equal scores. */
function lexRange(min: string, max: string): MemberRange {
  const [low, high] = [lexBound(min), lexBound(max)];
  return {
    isBelow: (_score, member) => {
      const order = compareToBound(member, low);
      return low.isOpen ? order <= 0 : order < 0;
    },
    isNotAbove: (_score, member) => {
      const order = compareToBound(member, high);
      return high.isOpen ? order < 0 : order <= 0;
    },
  };
}

function lexBound(word: string) {
  if (word === '-' || word === '+') return { kind: word, isOpen: false, text: '' } as const;
  if (!/^[[(]/.test(word)) throw failure('ERR min or max not valid string range item');
  return { kind: 'text', isOpen: word.startsWith('('), text: word.slice(1) } as const;
}

function compareToBound(member: string, bound: ReturnType<typeof lexBound>): number {
  if (bound.kind === '-') return 1;
  if (bound.kind === '+') return -1;
  return member < bound.text ? -1 : member > bound.text ? 1 : 0;
}

/** First and last rank of a range; first > last if it is empty. */
export function rankRange(set: SortedSet, { isBelow, isNotAbove }: MemberRange): [number, number] {
  return [set.rankBefore(isBelow), set.rankBefore(isNotAbove) - 1];
}

/** Replaces the value of a key with members. */
export function* storeScored(db: Keyspace, key: string, scored: Iterable<Scored>): Steps<Reply> {
  const set = new SortedSet();
  yield* eachInSteps(scored, ({ member, score }) => void set.set(member, withoutSign(score)));
  if (set.size === 0) db.delete(key);
  else db.set(key, set);
  return set.size;
}

function byKind(db: Keyspace, args: readonly string[], kind: Kind, isReverse: boolean): Steps<Reply> {
  const { request, withScores } = readOptions(args, 3, kind === 'score' ? 'limited' : 'limit');
  return show(find(db, args, { ...request, kind, isReverse }), withScores);
}

function* show(finding: Steps<readonly Scored[]>, withScores: boolean): Steps<Reply> {
  const scored = yield* finding;
  return withScores ? yield* flattenScored(scored) : yield* mapInSteps(scored, ({ member }) => member);
}

function readOptions(args: readonly string[], from: number, allowed: 'all' | 'scores' | 'limited' | 'limit') {
  let [kind, isReverse, withScores, hasLimit, offset, count]: [Kind, boolean, boolean, boolean, number, number] = [
    'rank',
    false,
    false,
    false,
    0,
    -1,
  ];
  for (let at = from; at < args.length; at++) {
    const option = wordAt(args, at).toUpperCase();
    if (option === 'WITHSCORES' && allowed !== 'limit') withScores = true;
    else if (option === 'LIMIT' && allowed !== 'scores') {
      [hasLimit, offset, count] = [true, integerAt(args, at + 1), integerAt(args, at + 2)];
      at += 2;
    } else if (allowed !== 'all') throw failure(SYNTAX_ERROR);
    else if (option === 'REV') isReverse = true;
    else if (option === 'BYSCORE') kind = 'score';
    else if (option === 'BYLEX') kind = 'text';
    else throw failure(SYNTAX_ERROR);
  }
  // As in Redis, a limit without a count is accepted here, and has no effect.
  if (allowed === 'all' && hasLimit && count !== -1 && kind === 'rank')
    throw failure('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX');
  if (allowed === 'all' && withScores && kind === 'text')
    throw failure('ERR syntax error, WITHSCORES not supported in combination with BYLEX');
  const limit = kind === 'rank' && allowed === 'all' ? WHOLE : { offset, count };
  return { request: { kind, isReverse, ...limit }, withScores };
}

/** The members between the words 1 and 2 of the key in word 0; in reverse, the first word is the upper bound. */
function* find(db: Keyspace, args: readonly string[], request: RangeRequest): Steps<readonly Scored[]> {
  const { kind, isReverse, offset, count } = request;
  const [one, two] = [wordAt(args, 1), wordAt(args, 2)];
  const makeRange = kind === 'score' ? scoreRange : lexRange;
  const range = kind === 'rank' ? undefined : isReverse ? makeRange(two, one) : makeRange(one, two);
  const ends = range === undefined ? ([integerAt(args, 1), integerAt(args, 2)] as const) : undefined;
  const set = db.collection(wordAt(args, 0), SortedSet);
  if (set === undefined) return [];
  let [first, last] = range === undefined ? toRange(...(ends ?? [0, 0]), set.size) : rankRange(set, range);
  if (range === undefined && isReverse) [first, last] = [set.size - 1 - last, set.size - 1 - first];
  if (offset < 0) return [];
  if (isReverse) {
    last -= offset;
    if (count >= 0) first = Math.max(first, last - count + 1);
    return (yield* slice(set, Math.max(0, first), last)).reverse();
  }
  first += offset;
  return yield* slice(set, first, count < 0 ? last : Math.min(last, first + count - 1));
}

function slice(set: SortedSet, first: number, last: number): Steps<Scored[]> {
  assertElements(Math.min(last, set.size - 1) - first + 1);
  return mapInSteps(set.ranks(first, last), (each) => each);
}

/** Member, score, member, score… */
export function* flattenScored(scored: Iterable<Scored>): Steps<string[]> {
  const flat: string[] = [];
  yield* eachInSteps(scored, ({ member, score }) => void flat.push(member, formatDouble(score)));
  return flat;
}
