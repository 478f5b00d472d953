import type { JsonValue } from '../json/Json.js';
import type { JsonText } from '../request/JsonText.js';
import { shareClass } from '../copies/shareClass.js';

/** What an error carries beside its message. */
export interface ErrorExtras {
  /** The failure underneath, for the log; never shown to a client. */
  readonly cause?: unknown;
  /** An array or object for programs, sent as `error.details`. */
  readonly details?: JsonValue;
  /** Sent as HTTP header `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Further members of the wire error where the specification asks for them (VALID-42, VALID-43). */
  readonly members?: { readonly [name: string]: JsonValue };
  /** Replaces the `result: null` of an error where the specification asks for it (PROTO-11). */
  readonly result?: JsonValue | JsonText;
}

/**
 * A registered error: the only kind that crosses a package boundary. Made by the factories of `defineErrors`.
 * `id` is the stable dotted name a client sees, `status` the HTTP-like code.
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
