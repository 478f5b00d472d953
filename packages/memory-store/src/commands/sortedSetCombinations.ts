import type { MemoryArgument } from '@millrace/kernel';
import { failure, NOT_AN_INTEGER, SYNTAX_ERROR, WRONG_TYPE } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SetValue } from '../keyspace/values/collections.js';
import { SortedSet, type Scored } from '../keyspace/values/SortedSet.js';
import { asFloat, wordAt } from '../keyspace/words.js';
import { eachInSteps, ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { decimal, integer, keyword, LIST, name } from './ArgumentKind.js';
import { inBody, top } from './argumentsAt.js';
import { family, KEY_FIRST, KEY_LAST, readsWhole, writesWhole } from './Command.js';
import { invalid, type CommandPart } from './CommandPart.js';
import { assertElements, MAX_SORTED_ELEMENTS } from './limits.js';
import { readLimit } from './sets.js';
import { flattenScored, storeScored } from './sortedSetRanges.js';

const counted = top.keys({ isCounted: true });
const storeOf = [inBody.key('destination'), inBody.keys({ isCounted: true })];
const weighted = [
  counted,
  combination(top.list('', 'weights', decimal, 0), top.option('aggregate', keyword('SUM', 'MIN', 'MAX'), 'AGGREGATE')),
];
const aggregate = inBody.option('aggregate', keyword('SUM', 'MIN', 'MAX'), 'AGGREGATE');

/** Keys, weights and aggregate of zunionstore and zinterstore: scalars in the body are refused (note 3). */
const strictCombination: CommandPart = {
  args: [
    { name: '_id', home: 'top', kind: name, isRequired: false },
    { name: 'keys', home: 'body', kind: LIST, isRequired: false },
    { name: 'weight', home: 'body', kind: decimal, isRequired: false },
    { name: 'weights', home: 'body', kind: LIST, isRequired: false },
    ...aggregate.args,
  ],
  append: (source, words) => {
    for (const each of ['keys', 'weights']) {
      const given = source.readBody(each);
      if (given !== undefined && !Array.isArray(given)) throw invalid(each, 'a list', given);
    }
    inBody.keys({ isCounted: true }).append(source, words);
    combination(inBody.list('weight', 'weights', decimal, 0), aggregate).append(source, words);
  },
};

type Aggregate = 'SUM' | 'MIN' | 'MAX';

type Kind = 'union' | 'inter' | 'diff';

interface Source {
  readonly size: number;
  readonly scoreOf: (member: string) => number | undefined;
  readonly members: () => Iterable<Scored>;
}

interface Combination {
  readonly sources: readonly Source[];
  readonly weights: readonly number[];
  readonly aggregate: Aggregate;
  readonly withScores: boolean;
}

const scores = top.flag('withscores');

/** Combinations of sorted sets, and of sets as members with score 1. */
export const sortedSetCombinations = family({
  zdiff: readsWhole(
    'Returns the members that only the first set has.',
    [counted, scores],
    'texts',
    KEY_FIRST,
    (db, args) => show(combine(db, args, 'diff', 'zdiff')),
  ),
  zdiffstore: writesWhole('Stores the members that only the first set has.', storeOf, 'integer', KEY_LAST, (db, args) =>
    store(db, args, 'diff', 'zdiffstore'),
  ),
  zinter: readsWhole('Returns the common members.', [...weighted, scores], 'texts', KEY_FIRST, (db, args) =>
    show(combine(db, args, 'inter', 'zinter')),
  ),
  zintercard: readsWhole(
    'Counts the common members.',
    [counted, top.option('limit', integer, 'LIMIT')],
    'integer',
    KEY_FIRST,
    function* (db, args) {
      const { keys, rest } = readKeys(args, 'zintercard');
      const sources = keys.map((key) => sourceOf(db, key));
      const limit = readLimit(rest);
      assertCombinable(sources);
      return yield* countCommon(sources, limit);
    },
  ),
  zinterstore: writesWhole(
    'Stores the common members.',
    [inBody.key('destination'), strictCombination],
    'integer',
    KEY_LAST,
    (db, args) => store(db, args, 'inter', 'zinterstore'),
  ),
  zunion: readsWhole('Returns all members of sets.', [...weighted, scores], 'texts', KEY_FIRST, (db, args) =>
    show(combine(db, args, 'union', 'zunion')),
  ),
  zunionstore: writesWhole(
    'Stores all members of sets.',
    [inBody.key('destination'), strictCombination],
    'integer',
    KEY_LAST,
    (db, args) => store(db, args, 'union', 'zunionstore'),
  ),
});

/** `weights` and `aggregate` after counted keys. */
function combination(weights: CommandPart, aggregateBy: CommandPart): CommandPart {
  return {
    args: [...weights.args, ...aggregateBy.args],
    append: (source, words) => {
      const given: MemoryArgument[] = [];
      weights.append(source, given);
      if (given.length > 0) words.push('WEIGHTS', ...given);
      aggregateBy.append(source, words);
    },
  };
}

function* store(db: Keyspace, args: readonly string[], kind: Kind, command: string): Steps<Reply> {
  const { scored, withScores } = combine(db, args.slice(1), kind, command);
  if (withScores) throw failure(SYNTAX_ERROR);
  return yield* storeScored(db, wordAt(args, 0), yield* scored);
}

function* show({ scored, withScores }: ReturnType<typeof combine>): Steps<Reply> {
  const set = new SortedSet();
  yield* eachInSteps(yield* scored, ({ member, score }) => void set.set(member, score));
  return withScores ? yield* flattenScored(set) : yield* mapInSteps(set, ({ member }) => member);
}

function readKeys(args: readonly string[], command: string) {
  const count = Number(wordAt(args, 0));
  if (!Number.isInteger(count)) throw failure(NOT_AN_INTEGER);
  if (count < 1) throw failure(`ERR at least 1 input key is needed for '${command}' command`);
  if (count > args.length - 1) throw failure(SYNTAX_ERROR);
  return { keys: args.slice(1, count + 1), rest: args.slice(count + 1) };
}

function combine(db: Keyspace, args: readonly string[], kind: Kind, command: string) {
  const { keys, rest } = readKeys(args, command);
  const sources = keys.map((key) => sourceOf(db, key));
  if (kind === 'union')
    assertElements(
      sources.reduce((sum, { size }) => sum + size, 0),
      MAX_SORTED_ELEMENTS,
    );
  else assertCombinable(kind === 'inter' ? sources : sources.slice(0, 1), sources.length);
  const combination = { sources, ...readOptions(rest, keys.length, kind) };
  const scored = kind === 'union' ? union(combination) : kind === 'inter' ? inter(combination) : diff(sources);
  return { scored, withScores: combination.withScores };
}

function readOptions(rest: readonly string[], keyCount: number, kind: Kind) {
  let weights: number[] = new Array<number>(keyCount).fill(1);
  let [aggregate, withScores]: [Aggregate, boolean] = ['SUM', false];
  for (let at = 0; at < rest.length; at++) {
    const option = wordAt(rest, at).toUpperCase();
    if (option === 'WITHSCORES') withScores = true;
    else if (option === 'WEIGHTS' && kind !== 'diff' && rest.length - at - 1 >= keyCount) {
      weights = rest.slice(at + 1, at + 1 + keyCount).map((word) => {
        const weight = asFloat(word);
        if (weight === undefined) throw failure('ERR weight value is not a float');
        return weight;
      });
      at += keyCount;
    } else if (option === 'AGGREGATE' && kind !== 'diff') {
      const name = wordAt(rest, ++at).toUpperCase();
      if (name !== 'SUM' && name !== 'MIN' && name !== 'MAX') throw failure(SYNTAX_ERROR);
      aggregate = name;
    } else throw failure(SYNTAX_ERROR);
  }
  return { weights, aggregate, withScores };
}

function sourceOf(db: Keyspace, key: string): Source {
  const value = db.use(key)?.value;
  if (value === undefined) return { size: 0, scoreOf: () => undefined, members: () => [] };
  if (value instanceof SortedSet)
    return { size: value.size, scoreOf: (member) => value.scoreOf(member), members: () => value };
  if (!(value instanceof SetValue)) throw failure(WRONG_TYPE);
  return {
    size: value.size,
    scoreOf: (member) => (value.members.has(member) ? 1 : undefined),
    members: () => scoredOnce(value),
  };
}

function* scoredOnce({ members }: SetValue): Iterable<Scored> {
  for (const { key } of members.values()) yield { member: key, score: 1 };
}

/** The smallest source is iterated, and each of its members is looked up in the others. */
function assertCombinable(sources: readonly Source[], count = sources.length): void {
  const smallest = Math.min(...sources.map(({ size }) => size));
  assertElements(smallest * Math.max(1, count - 1), MAX_SORTED_ELEMENTS);
}

/** Infinity times 0, and the sum of opposite infinities, count as 0. */
function weigh(score: number, weight: number): number {
  const weighed = score * weight;
  return Number.isNaN(weighed) ? 0 : weighed;
}

function merge(left: number, right: number, aggregate: Aggregate): number {
  if (aggregate === 'MIN') return Math.min(left, right);
  if (aggregate === 'MAX') return Math.max(left, right);
  const sum = left + right;
  return Number.isNaN(sum) ? 0 : sum;
}

/** Redis processes sources from the smallest to the largest, which affects the last digit of a sum. */
function bySize({ sources, weights }: Combination) {
  return sources
    .map((source, at) => ({ source, weight: weights[at] ?? 1 }))
    .sort((left, right) => left.source.size - right.source.size);
}

function* union(combination: Combination): Steps<Iterable<Scored>> {
  const sums = new Map<string, number>();
  for (const { source, weight } of bySize(combination)) {
    yield* eachInSteps(source.members(), ({ member, score }) => {
      const weighed = weigh(score, weight);
      const known = sums.get(member);
      sums.set(member, known === undefined ? weighed : merge(known, weighed, combination.aggregate));
    });
  }
  return yield* mapInSteps(sums, ([member, score]) => ({ member, score }));
}

function* inter(combination: Combination): Steps<Iterable<Scored>> {
  const [first, ...others] = bySize(combination);
  return yield* mapInSteps(first?.source.members() ?? [], ({ member, score }) => {
    let sum: number | undefined = weigh(score, first?.weight ?? 1);
    for (const { source, weight } of others) {
      const other: number | undefined = source.scoreOf(member);
      sum =
        other === undefined || sum === undefined ? undefined : merge(sum, weigh(other, weight), combination.aggregate);
    }
    return sum === undefined ? undefined : { member, score: sum };
  });
}

function* countCommon(sources: readonly Source[], limit: number): Steps<number> {
  const [first, ...others] = [...sources].sort((left, right) => left.size - right.size);
  let [count, left] = [0, ELEMENTS_PER_STEP];
  for (const { member } of first?.members() ?? []) {
    if (others.every((other) => other.scoreOf(member) !== undefined)) count++;
    if (count >= limit) break;
    left -= Math.max(1, others.length);
    if (left > 0) continue;
    yield;
    left = ELEMENTS_PER_STEP;
  }
  return count;
}

function* diff([first, ...others]: readonly Source[]): Steps<Iterable<Scored>> {
  return yield* mapInSteps(first?.members() ?? [], (scored) =>
    others.some((other) => other.scoreOf(scored.member) !== undefined) ? undefined : scored,
  );
}
