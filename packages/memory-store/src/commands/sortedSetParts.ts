import { isJsonObject, type MemoryArgument } from '@millrace/kernel';
import { argumentsAt, inBody } from './argumentsAt.js';
import { LIST, decimal, integer, keyword, name, score, scoreBound, text, value } from './ArgumentKind.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import { invalid, missing, readFlag, readOne, toList, toWord, type CommandPart } from './CommandPart.js';

const aggregate = inBody.option('aggregate', keyword('SUM', 'MIN', 'MAX'), 'AGGREGATE');

/** `weights` and `aggregate` after counted keys. */
export function combination(weights: CommandPart, aggregateBy: CommandPart): CommandPart {
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

/** Keys, weights and aggregate of zunionstore and zinterstore: scalars in the body are refused (note 3). */
export const strictCombination: CommandPart = {
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

/** `start`, `stop`, their interpretation, `rev` and the limit of zrange and zrangestore. */
export function rangeParts(home: Home): CommandPart {
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

/** Options, then score and member pairs of zadd (note 2: `nx` wins over `xx`). */
export const zaddParts: CommandPart = {
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
