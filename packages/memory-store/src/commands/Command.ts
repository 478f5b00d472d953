import { route, type JsonObject, type JsonValue, type MemoryReply, type Route } from '@millrace/kernel';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import type { Steps } from '../steps/Steps.js';
import type { Blocking } from './Blocking.js';
import type { CommandPart } from './CommandPart.js';
import { RESULT } from './RESULT.js';

/** Converts a reply to the result of an action, if the two differ. */
export type ReplyShape = (reply: MemoryReply) => JsonValue;

/**
 * Runs a command on the keys of the embedded engine: returns its reply at once, or works in steps if it processes
 * potentially large data. Throws a registered error before it has changed anything. Sets `db.effects` if repeating the
 * command would not have the same effect.
 */
export type Run = (db: Keyspace, args: readonly string[]) => Reply | Steps<Reply>;

/** One command: its action, the grammar of its arguments, and how the embedded engine runs it. */
export interface Command extends CommandOptions {
  /** Name of the action. */
  readonly name: string;
  /** Name of the Redis command. */
  readonly word: string;
  readonly summary: string;
  readonly routes: readonly Route[];
  /** Whether the action counts as a write. */
  readonly writes: boolean;
  /** Whether it may change keys, and whether it may need more memory. */
  readonly changes: boolean;
  readonly grows: boolean;
  readonly parts: readonly CommandPart[];
  /** JSON Schema of the result, for descriptions. */
  readonly result: JsonObject;
  /** Absent: a command on the engine rather than on its keys (`ENGINE_COMMANDS`). */
  readonly run: Run | undefined;
}

interface CommandOptions {
  readonly shape?: ReplyShape;
  /**
   * When the embedded engine treats it as costly, so that commands of other callers run first. By default its work
   * depends on the number of words only.
   *
   * - `by size`: if the keys that it names are large
   * - `by count`: the same, if it has a count
   * - `all keys`: if the store has many keys
   * - `unbounded`: always
   */
  readonly cost?: 'by size' | 'by count' | 'all keys' | 'unbounded';
  /**
   * It waits for keys and takes one of the slots for waits (MEM-41); `run` answers at once, as in a transaction.
   * Undefined: this call doesn't wait.
   */
  readonly blocks?: (db: Keyspace, args: readonly string[]) => Blocking | undefined;
}

interface RowOptions extends CommandOptions {
  readonly word?: string;
  readonly method?: Method;
  /** Paths below `/ms/_<name>`; by default the required arguments at the top of the message. */
  readonly paths?: readonly string[];
  /** All routes, in place of method and paths. */
  readonly routes?: readonly Parameters<typeof route>[0][];
  /** Removes keys or elements: allowed even when the limit of memory is reached. */
  readonly frees?: boolean;
  /** False for a write that changes no key. */
  readonly changes?: boolean;
}

type Method = 'GET' | 'POST' | 'DELETE';
type Rest = readonly [run: Run] | readonly [options?: RowOptions, run?: Run];
type Row = ReturnType<ReturnType<typeof rowMaker>>;

function rowMaker(method: Method, common: RowOptions = {}) {
  return (summary: string, parts: readonly CommandPart[], result: keyof typeof RESULT, ...rest: Rest) => {
    const [options, run] = typeof rest[0] === 'function' ? [{}, rest[0]] : [rest[0], rest[1]];
    return { method, summary, parts, result: RESULT[result], run, writes: method !== 'GET', ...common, ...options };
  };
}

/** A command that only reads. */
export const reads = rowMaker('GET');
/** A command that reads whole keys. */
export const readsWhole = rowMaker('GET', { cost: 'by size' });
/** A command that may change keys. */
export const writes = rowMaker('POST');
/** A command that changes whole keys. */
export const writesWhole = rowMaker('POST', { cost: 'by size' });
/** A command that removes elements. */
export const removes = rowMaker('DELETE', { frees: true });
/** A command that removes elements from whole keys. */
export const removesWhole = rowMaker('DELETE', { frees: true, cost: 'by size' });

/** Removes keys or elements. */
export const FREES = { frees: true } as const;
/** Paths with and without a key. */
export const KEY_FIRST = { paths: ['/:_id', ''] } as const;
/** Paths without and with a key. */
export const KEY_LAST = { paths: ['', '/:_id'] } as const;

/** The commands of a family, from their rows by name. */
export function family(rows: Readonly<Record<string, Row>>): readonly Command[] {
  return Object.entries(rows).map(([name, { method, paths, routes, frees, ...row }]) => {
    const required = row.parts
      .flatMap(({ args }) => args)
      .filter(({ home, isRequired }) => home === 'top' && isRequired);
    const below = paths ?? [required.map((each) => `/:${each.name}`).join('')];
    const changes = row.changes ?? row.writes;
    return {
      word: name.toUpperCase(),
      ...row,
      name,
      routes: (routes ?? below.map((path) => `${method} /ms/_${name}${path}` as const)).map(route),
      changes,
      grows: changes && frees !== true,
    };
  });
}
