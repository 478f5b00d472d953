import type { Steps } from '../steps/Steps.js';

/** What a handler answers: byte strings, and integers beyond 2^53 as bigint. Turned into JSON at the engine's edge. */
export type Reply = string | number | bigint | null | Uint8Array | readonly Reply[];

/**
 * A handler of one command: answers at once, or in steps where it goes through what may be large. Throws a registered
 * error before it has changed anything.
 */
export type Handler<Context> = (context: Context, args: readonly string[]) => Reply | Steps<Reply>;
