import { readKeyCount } from './handlers/readKeyCount.js';
import { readPositions } from './handlers/streamHandlers.js';
import type { Keyspace } from './Keyspace.js';
import { showId } from './values/StreamValue.js';

/** A blocking command: its keys, its timeout, and the command to run when a key is ready. */
export interface Blocking {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  /** The command to run before the wait. */
  readonly command: readonly string[];
  /** A key with a value of another type is not ready. */
  readonly type: 'list' | 'zset' | 'stream';
  /** As in Redis, the first key that becomes ready is served, whatever the others contain by then. */
  readonly commandFor: (key: string) => readonly string[];
}

/** Parses the words of a blocking command; undefined for one that never blocks. */
export function readBlocking(db: Keyspace, command: readonly string[]): Blocking | undefined {
  const [name = '', ...args] = command;
  const type = name.startsWith('BZ') ? 'zset' : 'list';
  const seconds = (word: string | undefined) => Number(word ?? '0') * 1000;
  switch (name) {
    case 'BLPOP':
    case 'BRPOP':
    case 'BZPOPMIN':
    case 'BZPOPMAX': {
      const [keys, timeoutMs] = [args.slice(0, -1), seconds(args.at(-1))];
      return { keys, timeoutMs, command, type, commandFor: (key) => [name, key, '0'] };
    }
    case 'BRPOPLPUSH':
    case 'BLMOVE': {
      const [keys, timeoutMs] = [args.slice(0, 1), seconds(args.at(-1))];
      return { keys, timeoutMs, command, type, commandFor: () => command };
    }
    case 'BLMPOP':
    case 'BZMPOP': {
      const { keys, rest } = readKeyCount(args.slice(1));
      const commandFor = (key: string) => [name, '0', '1', key, ...rest];
      return { keys, timeoutMs: seconds(args[0]), command, type, commandFor };
    }
    case 'XREAD': {
      const at = args.findIndex((word) => word.toUpperCase() === 'BLOCK');
      if (at < 0) return undefined;
      // `$` is the current last id, not the one when the wait ends.
      const { count, positions } = readPositions(db, args);
      const counted = Number.isFinite(count) ? ['COUNT', String(count)] : [];
      const keys = positions.map(({ key }) => key);
      const ids = positions.map(({ after }) => showId(after));
      const read = (...words: readonly string[]) => ['XREAD', ...counted, 'STREAMS', ...words];
      return {
        keys,
        timeoutMs: Number(args[at + 1]),
        command: read(...keys, ...ids),
        type: 'stream',
        commandFor: (key) => read(key, ids[keys.indexOf(key)] ?? ''),
      };
    }
    default:
      return undefined;
  }
}
