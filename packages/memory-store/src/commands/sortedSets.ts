import { isJsonObject } from '@millrace/kernel';
import { formatDouble } from '../embedded/formatDouble.js';
import type { Keyspace } from '../embedded/Keyspace.js';
import type { Reply } from '../embedded/Reply.js';
import { SortedSet, type Scored } from '../embedded/values/SortedSet.js';
import { integerAt, wordAt } from '../embedded/words.js';
import { ELEMENTS_PER_STEP, mapInSteps, type Steps } from '../steps/Steps.js';
import { addScored } from './addScored.js';
import { score, value } from './ArgumentKind.js';
import { countWith, inBody, top } from './argumentsAt.js';
import type { ArgumentSource } from './ArgumentSource.js';
import { family, reads, removes, writes } from './Command.js';
import { invalid, missing, readFlag, readOne, toList, toWord, type CommandPart } from './CommandPart.js';
import { flattenScored } from './flattenScored.js';
import { assertElements } from './limits.js';
import { assertRepeatable, times } from './pickRandom.js';
import { removal } from './sets.js';

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
