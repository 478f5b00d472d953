import { isJsonObject, type MemoryArgument } from '@millrace/kernel';
import {
  decimal,
  integer,
  keyword,
  LIST,
  name as nameKind,
  text,
  value as valueKind,
  type ArgumentKind,
} from './ArgumentKind.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';
import {
  invalid,
  missing,
  readFlag,
  readOne,
  toList,
  toWord,
  type CommandPart,
  type PartArgument,
} from './CommandPart.js';

// `readFlag` also accepts the words for on and off.
const FLAG = {
  expected: 'a flag: true or false',
  schema: { type: ['boolean', 'integer', 'string'] },
};

/** Creates the builders of parts whose arguments have the same home (MEM-5). */
export function argumentsAt(home: Home) {
  const describe = (name: string, kind: PartArgument['kind'], isRequired: boolean) => ({
    name,
    home,
    kind,
    isRequired,
  });

  /** A required scalar. */
  const one = (name: string, kind: ArgumentKind): CommandPart => ({
    args: [describe(name, kind, true)],
    append: (source, words) => {
      const given = readOne(source, name, home);
      if (given === undefined) throw missing(name, kind.expected);
      words.push(toWord(name, kind, given));
    },
  });

  /** An optional scalar; `prefix` is inserted before it. */
  const option = (name: string, kind: ArgumentKind, ...prefix: readonly string[]): CommandPart => ({
    args: [describe(name, kind, false)],
    append: (source, words) => {
      const given = readOne(source, name, home);
      if (given !== undefined) words.push(...prefix, toWord(name, kind, given));
    },
  });

  /** `one|many`: a scalar and a list, the scalar first; an empty name if there is no scalar. */
  const list = (single: string, many: string, kind: ArgumentKind, minimum = 1): CommandPart => ({
    args: [
      ...(single === '' ? [] : [describe(single, kind, false)]),
      describe(many, LIST, minimum > 0 && single === ''),
    ],
    append: (source, words) => {
      const given = [...readList(source, single, home), ...readList(source, many, home)];
      if (given.length < minimum) throw missing(many, `at least ${minimum}, as "${single}" or in the list "${many}"`);
      for (const { name, value } of given) words.push(toWord(name, kind, value));
    },
  });

  return {
    one,
    option,
    list,
    key: (name = '_id') => one(name, nameKind),
    value: (name = 'value') => one(name, valueKind),
    integer: (name: string) => one(name, integer),
    decimal: (name: string) => one(name, decimal),
    text: (name: string) => one(name, text),
    choice: (name: string, ...choices: readonly string[]) => one(name, keyword(...choices)),

    /** The keys in `_id?` at the top, then those in `keys?` here; at least one of the two is required. */
    keys: (options: { readonly isCounted?: boolean } = {}): CommandPart => ({
      args: [{ name: '_id', home: 'top', kind: nameKind, isRequired: false }, describe('keys', LIST, false)],
      append: (source, words) => {
        const keys = readKeys(source, 'keys', home);
        if (options.isCounted === true) words.push(String(keys.length));
        words.push(...keys);
      },
    }),

    /** A flag; its word in the command is its name in capitals, or another one. */
    flag: (name: string, word = name.toUpperCase()): CommandPart => ({
      args: [describe(name, FLAG, false)],
      append: (source, words) => {
        if (readFlag(source, name, home)) words.push(word);
      },
    }),

    /** At most one of some options and flags (`ex`, `px`, `persist`, …). */
    atMostOne: (...parts: readonly CommandPart[]): CommandPart => ({
      args: parts.flatMap(({ args }) => args),
      append: (source, words) => {
        const given = parts.filter((part) => {
          const before = words.length;
          part.append(source, words);
          return words.length > before;
        });
        if (given.length > 1) {
          const [first, second] = given.map(({ args }) => args[0]?.name ?? '');
          throw invalid(second ?? '', `absent with "${first}"`, 'both');
        }
      },
    }),

    /** `first`+`second` as one pair and/or `values`, a flat list or an object; the single pair comes first. */
    pairs: (first: string, second: string, firstHome: Home = home): CommandPart => ({
      args: [
        { name: first, home: firstHome, kind: nameKind, isRequired: false },
        describe(second, valueKind, false),
        describe('values', { expected: 'a flat list of pairs or an object', schema: {} }, false),
      ],
      append: (source, words) => {
        const pairs = readPairs(source, { first, second, home, firstHome });
        if (pairs.length === 0)
          throw missing('values', `"${first}" and "${second}", or a flat list or object "values"`);
        for (const [left, right] of pairs) words.push(toWord(first, nameKind, left), toWord(second, valueKind, right));
      },
    }),

    /** `offset?` and `count?` as `LIMIT offset count`. */
    limit: (): CommandPart => ({
      args: [describe('offset', integer, false), describe('count', integer, false)],
      append: (source, words) => {
        const [offset, count] = [source.read('offset', home), source.read('count', home)];
        if (offset === undefined && count === undefined) return;
        words.push('LIMIT', toWord('offset', integer, offset ?? 0), toWord('count', integer, count ?? -1));
      },
    }),

    /** The wait of a blocking action in seconds, reduced to the longest allowed. */
    timeout: (): CommandPart => ({
      args: [describe('timeout', decimal, true)],
      append: (source, words) => {
        const given = source.read('timeout', home);
        if (given === undefined) throw missing('timeout', 'seconds to wait');
        const seconds = Number(toWord('timeout', decimal, given));
        if (seconds < 0) throw invalid('timeout', 'seconds of at least 0', given);
        const longest = source.limits.maxBlockMs / 1000;
        words.push(String(seconds === 0 || seconds > longest ? longest : seconds));
      },
    }),
  };
}

/** Builders of parts at the top level and in the body. */
export const top = argumentsAt('top');
export const inBody = argumentsAt('body');

/** The keys of `KEYS@home`. @throws memory.invalid_argument if there is none */
export function readKeys(source: ArgumentSource, many: string, home: Home): readonly string[] {
  const given = [...readList(source, '_id', 'top'), ...readList(source, many, home)];
  if (given.length === 0) throw missing('_id', `a key, or a list "${many}" of keys`);
  return given.map(({ name, value }) => toWord(name, nameKind, value));
}

function readList(source: ArgumentSource, name: string, home: Home) {
  if (name === '') return [];
  return toList(source.read(name, home)).map((value) => ({ name, value }));
}

interface PairNames {
  readonly first: string;
  readonly second: string;
  readonly home: Home;
  readonly firstHome: Home;
}

function readPairs(source: ArgumentSource, names: PairNames): (readonly [unknown, unknown])[] {
  const { first, second, home, firstHome } = names;
  const pairs: (readonly [unknown, unknown])[] = [];
  const [left, right] = [source.read(first, firstHome), readOne(source, second, home)];
  if (right !== undefined) {
    if (left === undefined) throw missing(first, `a name for "${second}"`);
    pairs.push([left, right]);
  }
  const values = source.read('values', home);
  // If `values` is present, an `_id` without a value is ignored; any other name without a value is an error.
  if (right === undefined && left !== undefined && (values === undefined || first !== '_id'))
    throw missing(second, valueKind.expected);
  if (values === undefined) return pairs;
  if (isJsonObject(values)) return [...pairs, ...Object.entries(values)];
  if (!Array.isArray(values)) throw invalid('values', 'a flat list of pairs or an object', values);
  if (values.length % 2 === 1) throw invalid('values', 'an even number of elements', values);
  for (let at = 0; at < values.length; at += 2) pairs.push([values[at], values[at + 1]]);
  return pairs;
}

/** Appends the arguments of several parts in order. */
export function appendAll(parts: readonly CommandPart[], source: ArgumentSource, words: MemoryArgument[]): void {
  for (const part of parts) part.append(source, words);
}

/** A wait in milliseconds, reduced to the longest allowed; `prefix` is inserted before it. */
export function waitMs(argument: string, isRequired: boolean, ...prefix: string[]): CommandPart {
  return {
    args: [{ name: argument, home: 'body', kind: integer, isRequired }],
    append: (source, words) => {
      const given = source.read(argument, 'body');
      if (given === undefined) {
        if (isRequired) throw missing(argument, 'milliseconds to wait');
        return;
      }
      const waitMs = Number(toWord(argument, integer, given));
      if (waitMs < 0) throw invalid(argument, 'milliseconds of at least 0', given);
      const longest = source.limits.maxBlockMs;
      words.push(...prefix, String(waitMs === 0 || waitMs > longest ? longest : waitMs));
    },
  };
}

/** `count?` and a flag that requires it. */
export function countWith(flag: string): CommandPart {
  const parts = [top.option('count', integer), top.flag(flag)];
  return {
    args: parts.flatMap(({ args }) => args),
    append: (source, words) => {
      const before = words.length;
      for (const part of parts) part.append(source, words);
      if (words.length > before && source.read('count', 'top') === undefined)
        throw missing('count', `a count with "${flag}"`);
    },
  };
}
