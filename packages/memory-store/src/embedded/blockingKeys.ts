import { readKeyCount } from './handlers/readKeyCount.js';
import { readPositions } from './handlers/streamHandlers.js';
import type { Keyspace } from './Keyspace.js';
import { showId } from './values/StreamValue.js';

/** A command that waits: for which keys, for how long, and what to run again. */
export interface Blocking {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly command: readonly string[];
}

/** Reads the words of a waiting command; undefined for one that never waits. */
export function readBlocking(db: Keyspace, command: readonly string[]): Blocking | undefined {
  const [name = '', ...args] = command;
  const seconds = (word: string | undefined) => Number(word ?? '0') * 1000;
  switch (name) {
    case 'BLPOP':
    case 'BRPOP':
    case 'BZPOPMIN':
    case 'BZPOPMAX':
      return { keys: args.slice(0, -1), timeoutMs: seconds(args.at(-1)), command };
    case 'BRPOPLPUSH':
    case 'BLMOVE':
      return { keys: args.slice(0, 1), timeoutMs: seconds(args.at(-1)), command };
    case 'BLMPOP':
    case 'BZMPOP':
      return { keys: readKeyCount(args.slice(1)).keys, timeoutMs: seconds(args[0]), command };
    case 'XREAD': {
      const at = args.findIndex((word) => word.toUpperCase() === 'BLOCK');
      if (at < 0) return undefined;
      // `$` is the last id of now, not of when the wait ends.
      const { count, positions } = readPositions(db, args);
      const counted = Number.isFinite(count) ? ['COUNT', String(count)] : [];
      const keys = positions.map(({ key }) => key);
      const ids = positions.map(({ after }) => showId(after));
      return {
        keys,
        timeoutMs: Number(args[at + 1]),
        command: ['XREAD', ...counted, 'STREAMS', ...keys, ...ids],
      };
    }
    default:
      return undefined;
  }
}
