import { route, type JsonValue, type MemoryReply, type Route } from '@millrace/kernel';
import type { CommandPart } from './CommandPart.js';

/** Converts a reply to the result of an action, if the two differ. */
export type ReplyShape = (reply: MemoryReply) => JsonValue;

/** One row of the command table: name, routes, argument grammar and shape of the result. */
export interface CommandDefinition {
  /** Name of the action; the Redis command is the same in capitals, unless `command` says otherwise. */
  readonly name: string;
  readonly summary: string;
  readonly routes: readonly Route[];
  readonly writes: boolean;
  readonly parts: readonly CommandPart[];
  readonly command?: string;
  readonly shape?: ReplyShape;
  /** True if it waits for keys and takes one of the slots for waits (MEM-41). */
  readonly blocks?: boolean;
}

type Spelling = Parameters<typeof route>[0];

/** Optional members of a row besides its routes and parts. */
export type RowOptions = Pick<CommandDefinition, 'command' | 'shape' | 'blocks'>;

/** Returns a function that builds rows of one kind. */
export function rowMaker(writes: boolean) {
  return (
    name: string,
    summary: string,
    routes: Spelling | readonly Spelling[],
    parts: readonly CommandPart[] = [],
    options: RowOptions = {},
  ): CommandDefinition => ({
    name,
    summary,
    routes: (typeof routes === 'string' ? [routes] : routes).map(route),
    writes,
    parts,
    ...options,
  });
}

/** A command that only reads. */
export const reads = rowMaker(false);
/** A command that may change keys. */
export const writes = rowMaker(true);
