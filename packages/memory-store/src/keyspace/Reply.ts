/** The result of a command: byte strings, and integers beyond 2^53 as bigint. The engine converts it to JSON. */
export type Reply = string | number | bigint | null | Uint8Array | readonly Reply[];
