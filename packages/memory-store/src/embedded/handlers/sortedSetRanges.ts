import { failure, SYNTAX_ERROR } from '../failure.js';
import { eachInSteps, mapInSteps, type Steps } from '../../steps/Steps.js';
import type { Keyspace } from '../Keyspace.js';
import type { Reply } from '../Reply.js';
import { SortedSet, withoutSign, type Scored } from '../values/SortedSet.js';
import { asFloat, integerAt, toRange, wordAt } from '../words.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './assertElements.js';
import { flattenScored } from './flattenScored.js';
import type { Handlers } from './Handlers.js';

type Test = (score: number, member: string) => boolean;

/** A range of members: neither below the start nor above the end. */
export interface MemberRange {
  readonly isBelow: Test;
  /** True up to the end of the range. */
  readonly isNotAbove: Test;
}

/** A score range, with bounds such as `1`, `(1`, `inf`. */
export function scoreRange(min: string, max: string): MemberRange {
  const [low, high] = [scoreBound(min), scoreBound(max)];
  return {
    isBelow: (score) => (low.isOpen ? score <= low.score : score < low.score),
    isNotAbove: (score) => (high.isOpen ? score < high.score : score <= high.score),
  };
}

function scoreBound(word: string) {
  const isOpen = word.startsWith('(');
  const score = asFloat(isOpen ? word.slice(1) : word);
  if (score === undefined) throw failure('ERR min or max is not a float');
  return { isOpen, score };
}

/** A lexical range, with bounds such as `[a`, `(a`, `-`, `+`; meant for members with equal scores. */
export function lexRange(min: string, max: string): MemberRange {
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

type Kind = 'rank' | 'score' | 'text';

interface RangeRequest {
  readonly kind: Kind;
  readonly isReverse: boolean;
  readonly offset: number;
  /** Below 0: no limit. */
  readonly count: number;
}

const WHOLE = { offset: 0, count: -1 };

/** Commands that read ranges. */
export const rangeReaders: Handlers = {
  ZRANGE: (db, args) => {
    const { request, withScores } = readOptions(args, 3, 'all');
    return show(find(db, args, request), withScores);
  },
  ZREVRANGE: (db, args) => {
    const { withScores } = readOptions(args, 3, 'scores');
    return show(find(db, args, { kind: 'rank', isReverse: true, ...WHOLE }), withScores);
  },
  ZRANGEBYSCORE: (db, args) => byKind(db, args, 'score', false),
  ZREVRANGEBYSCORE: (db, args) => byKind(db, args, 'score', true),
  ZRANGEBYLEX: (db, args) => byKind(db, args, 'text', false),
  ZREVRANGEBYLEX: (db, args) => byKind(db, args, 'text', true),
};

/** ZRANGESTORE. */
export const rangeWriters: Handlers = {
  *ZRANGESTORE(db, args) {
    const { request, withScores } = readOptions(args, 4, 'all');
    if (withScores) throw failure(SYNTAX_ERROR);
    const found = yield* find(db, args.slice(1), request);
    assertElements(found.length, MAX_SORTED_ELEMENTS);
    return yield* storeScored(db, wordAt(args, 0), found);
  },
};

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
