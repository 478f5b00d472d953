import { isJsonObject } from '@millrace/kernel';
import { failure, SYNTAX_ERROR } from '../keyspace/failure.js';
import { formatDouble } from '../keyspace/formatDouble.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { SortedSet, withoutSign, type Scored } from '../keyspace/values/SortedSet.js';
import { floatAt, integerAt, wordAt } from '../keyspace/words.js';
import { ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { score, value } from './ArgumentKind.js';
import { countWith, inBody, top } from './argumentsAt.js';
import type { ArgumentSource } from './ArgumentSource.js';
import { family, reads, removes, writes } from './Command.js';
import { invalid, missing, readFlag, readOne, toList, toWord, type CommandPart } from './CommandPart.js';
import { assertElements } from './limits.js';
import { assertRepeatable, times } from './pickRandom.js';
import { removal } from './sets.js';
import { flattenScored } from './sortedSetRanges.js';

const key = top.key();
const member = top.value('member');

/** Options, then score and member pairs of zadd (note 2: `nx` wins over `xx`). */
const zaddParts: CommandPart = {
  args: [
    { name: 'score', home: 'body', kind: score, isRequired: false },
    { name: 'member', home: 'body', kind: value, isRequired: false },
    {
      name: 'values',
      home: 'body',
      kind: { expected: 'a list of {score, member}', schema: { type: 'array' } },
      isRequired: false,
    },
    ...['nx', 'xx', 'gt', 'lt', 'ch', 'incr'].flatMap((each) => inBody.flag(each).args),
  ],
  append: (source, words) => {
    const isNew = readFlag(source, 'nx', 'body');
    for (const flag of ['nx', 'xx', 'gt', 'lt', 'ch', 'incr']) {
      const isOn = readFlag(source, flag, 'body');
      if (isOn && !(flag === 'xx' && isNew)) words.push(flag.toUpperCase());
    }
    const pairs = readScored(source);
    if (pairs.length === 0) throw missing('member', '"score" and "member", or a list "values"');
    for (const pair of pairs) words.push(toWord('score', score, pair[0]), toWord('member', value, pair[1]));
  },
};

const PAIRS_PER_STEP = 128;
const FLAGS: ReadonlySet<string> = new Set(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR']);

/** Commands on members of sorted sets. */
export const sortedSets = family({
  zadd: writes('Adds members with scores.', [key, zaddParts], 'added', addScored),
  zcard: reads('Counts members.', [key], 'integer', (db, args) => db.collection(wordAt(args, 0), SortedSet)?.size ?? 0),
  zincrby: writes('Adds to a score.', [key, inBody.decimal('value'), inBody.value('member')], 'text', (db, args) =>
    addScored(db, [wordAt(args, 0), 'INCR', wordAt(args, 1), wordAt(args, 2)]),
  ),
  zmscore: reads('Returns scores.', [key, top.list('member', 'members', value)], 'textsOrNulls', (db, args) => {
    const set = db.collection(wordAt(args, 0), SortedSet);
    return mapInSteps(args.slice(1), (member) => {
      const score = set?.scoreOf(member);
      return score === undefined ? null : formatDouble(score);
    });
  }),
  zrandmember: reads(
    'Returns random members.',
    [key, countWith('withscores')],
    'picked',
    { paths: ['/:_id', '/:_id/:count'], cost: 'unbounded' },
    randomMembers,
  ),
  zrank: reads('Returns the rank of a member.', [key, member], 'integerOrNull', (db, args) => {
    return db.collection(wordAt(args, 0), SortedSet)?.rankOf(wordAt(args, 1)) ?? null;
  }),
  zrem: removes('Removes members.', [key, inBody.list('member', 'members', value)], 'integer', removal(SortedSet)),
  zrevrank: reads('Returns the rank of a member from the top.', [key, member], 'integerOrNull', (db, args) => {
    const set = db.collection(wordAt(args, 0), SortedSet);
    const rank = set?.rankOf(wordAt(args, 1));
    return set === undefined || rank === undefined ? null : set.size - 1 - rank;
  }),
  zscore: reads('Returns the score of a member.', [key, member], 'textOrNull', (db, args) => {
    const score = db.collection(wordAt(args, 0), SortedSet)?.scoreOf(wordAt(args, 1));
    return score === undefined ? null : formatDouble(score);
  }),
});

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

function readScored(source: ArgumentSource): (readonly [unknown, unknown])[] {
  const pairs: (readonly [unknown, unknown])[] = [];
  const [single, member] = [source.read('score', 'body'), readOne(source, 'member', 'body')];
  if (single !== undefined && member === undefined) throw missing('member', value.expected);
  if (single === undefined && member !== undefined) throw missing('score', score.expected);
  if (single !== undefined) pairs.push([single, member]);
  const values = source.read('values', 'body');
  if (values === undefined) return pairs;
  const expected = 'a list of {"score", "member"} objects';
  if (!Array.isArray(values)) throw invalid('values', expected, values);
  for (const item of toList(values)) {
    if (!isJsonObject(item)) throw invalid('values', expected, item);
    const has = (each: string) => Object.hasOwn(item, each) && item[each] !== null;
    if (!has('score') || !has('member')) throw invalid('values', expected, item);
    pairs.push([item['score'], item['member']]);
  }
  return pairs;
}

/** ZADD with all its flags. */
export function* addScored(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const flags = new Set<string>();
  let at = 1;
  for (; FLAGS.has(wordAt(args, at).toUpperCase()); at++) flags.add(wordAt(args, at).toUpperCase());
  const pairs = readPairs(args, at, flags);
  const known = db.changing(key, SortedSet);
  if (known === undefined && flags.has('XX')) return flags.has('INCR') ? null : 0;
  const set = known ?? db.changingOrNew(key, SortedSet);
  let [added, updated, isRefused, score] = [0, 0, false, 0];
  for (const [at, [given, member]] of pairs.entries()) {
    if (at % PAIRS_PER_STEP === PAIRS_PER_STEP - 1) yield;
    const outcome = addOne(set, member, given, flags);
    added += outcome.isAdded ? 1 : 0;
    updated += outcome.isUpdated ? 1 : 0;
    isRefused = outcome.isRefused;
    score = outcome.score;
  }
  if (added + updated > 0 || known === undefined) db.changed(key);
  if (!flags.has('INCR')) return flags.has('CH') ? added + updated : added;
  if (isRefused) return null;
  if (added + updated > 0) db.effects = [['ZADD', key, formatDouble(score), pairs[0]?.[1] ?? '']];
  return formatDouble(score);
}

function readPairs(args: readonly string[], from: number, flags: ReadonlySet<string>) {
  const count = args.length - from;
  if (count === 0 || count % 2 === 1) throw failure(SYNTAX_ERROR);
  if (flags.has('NX') && flags.has('XX')) throw failure('ERR XX and NX options at the same time are not compatible');
  const compared = Number(flags.has('GT')) + Number(flags.has('LT')) + Number(flags.has('NX'));
  if (compared > 1) throw failure('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (flags.has('INCR') && count > 2) throw failure('ERR INCR option supports a single increment-element pair');
  const pairs: [number, string][] = [];
  for (let at = from; at < args.length; at += 2) pairs.push([floatAt(args, at), wordAt(args, at + 1)]);
  return pairs;
}

function addOne(set: SortedSet, member: string, given: number, flags: ReadonlySet<string>) {
  const old = set.scoreOf(member);
  const refused = { isAdded: false, isUpdated: false, isRefused: true, score: old ?? 0 };
  if (old === undefined) {
    if (flags.has('XX')) return refused;
    set.set(member, withoutSign(given));
    return { isAdded: true, isUpdated: false, isRefused: false, score: given };
  }
  if (flags.has('NX')) return refused;
  const score = flags.has('INCR') ? old + given : given;
  if (Number.isNaN(score)) throw failure('ERR resulting score is not a number (NaN)');
  if ((flags.has('GT') && score <= old) || (flags.has('LT') && score >= old)) return refused;
  set.set(member, withoutSign(score));
  return { isAdded: false, isUpdated: score !== old, isRefused: false, score };
}
