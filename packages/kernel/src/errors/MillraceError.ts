import type { JsonValue } from '../json/Json.js';
import type { JsonText } from '../json/JsonText.js';
import { shareClass } from '../copies/shareClass.js';

/** Optional parts of an error in addition to its message. */
export interface ErrorExtras {
  /** The underlying failure, for the log; never sent to a client. */
  readonly cause?: unknown;
  /** An array or object for programs to read, sent as `error.details`. */
  readonly details?: JsonValue;
  /** Sent as HTTP header `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Additional members of the wire error, if the specification requires them (VALID-42, VALID-43). */
  readonly members?: { readonly [name: string]: JsonValue };
  /** Replaces the `result: null` of an error, if the specification requires it (PROTO-11). */
  readonly result?: JsonValue | JsonText;
}

/**
 * A registered error: the only kind that crosses a package boundary. Made by the factories of `defineErrors`. `id` is
 * the stable dotted name for clients, `status` the HTTP-like code.
 */
export class MillraceError extends Error {
  readonly details: JsonValue | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly members: { readonly [name: string]: JsonValue } | undefined;
  readonly result: JsonValue | JsonText | undefined;

  constructor(
    readonly id: string,
    readonly status: number,
    message: string,
    extras: ErrorExtras = {},
  ) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'MillraceError';
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.members = extras.members;
    this.result = extras.result;
  }
}

shareClass(MillraceError, 'MillraceError');
