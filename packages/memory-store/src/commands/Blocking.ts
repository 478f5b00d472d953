import type { Keyspace } from '../keyspace/Keyspace.js';
import { readKeyCount } from '../keyspace/words.js';
import { LIST, name } from './ArgumentKind.js';
import { missing, toList, toWord, type CommandPart } from './CommandPart.js';

/** The wait of a blocking command. */
export interface Blocking {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  /** A key with a value of another type is not ready. */
  readonly type: 'list' | 'zset' | 'stream';
  /** The arguments to run the command with before the wait, if they differ. */
  readonly args?: readonly string[];
  /** As in Redis, the first key that becomes ready is served, whatever the others contain by then. */
  readonly argsFor: (key: string) => readonly string[];
}

/** The keys of a blocking pop: `_id`, then `src`, then its alias `keys`; at least one. */
export const waitedKeys: CommandPart = {
  args: [
    { name: '_id', home: 'top', kind: name, isRequired: false },
    { name: 'src', home: 'body', kind: LIST, isRequired: false },
  ],
  append: (source, words) => {
    const keys = [
      ...toList(source.read('_id', 'top')),
      ...toList(source.read('src', 'body')),
      ...toList(source.read('keys', 'body')),
    ];
    if (keys.length === 0) throw missing('src', 'a key as "_id", or a list "src" of keys');
    words.push(...keys.map((each) => toWord('src', name, each)));
  },
};

/** The wait of a pop: keys, then seconds. */
export function popWait(type: Blocking['type']) {
  return (_: Keyspace, args: readonly string[]): Blocking => {
    const timeoutMs = secondsToMs(args.at(-1));
    return { keys: args.slice(0, -1), timeoutMs, type, argsFor: (key) => [key, '0'] };
  };
}

/** The wait of a pop of several elements: seconds, then counted keys. */
export function multiPopWait(type: Blocking['type']) {
  return (_: Keyspace, args: readonly string[]): Blocking => {
    const { keys, rest } = readKeyCount(args.slice(1));
    return { keys, timeoutMs: secondsToMs(args[0]), type, argsFor: (key) => ['0', '1', key, ...rest] };
  };
}

/** The wait of a move: the source, at the end seconds. */
export function moveWait(_: Keyspace, args: readonly string[]): Blocking {
  return { keys: args.slice(0, 1), timeoutMs: secondsToMs(args.at(-1)), type: 'list', argsFor: () => args };
}

function secondsToMs(word = '0'): number {
  return Number(word) * 1000;
}
