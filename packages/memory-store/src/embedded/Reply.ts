import type { Steps } from '../steps/Steps.js';

/** The result of a handler: byte strings, and integers beyond 2^53 as bigint. The engine converts it to JSON. */
export type Reply = string | number | bigint | null | Uint8Array | readonly Reply[];

/**
 * A handler of one command: returns its reply at once, or works in steps if it processes potentially large data. Throws
 * a registered error before it has changed anything.
 */
export type Handler<Context> = (context: Context, args: readonly string[]) => Reply | Steps<Reply>;
