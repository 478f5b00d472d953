import type { ErrorDetails } from './ErrorDetails.js';
import type { ErrorId } from './ErrorId.js';

/** Parts of an error answer. */
export interface ErrorParts {
  /** A stable dotted name, such as `document.not_found`. */
  readonly id: string;
  /** HTTP-like status, 400 to 599; 206 if some of several items failed. */
  readonly status: number;
  readonly message: string;
  /** For the log of the server. */
  readonly requestId: string;
  /** For programs; typed by the id after `isError`. */
  readonly details?: unknown;
  /** How long to wait before the request is sent again, in milliseconds. */
  readonly retryAfterMs?: number;
}

const RETRYABLE_STATUSES = [408, 429, 502, 503, 504];

/** The server answered with an error. `id` is stable; `message` is for people and may change. */
export class MillraceError<I extends string = string> extends Error {
  override readonly name = 'MillraceError';
  readonly id: I;
  readonly status: number;
  readonly requestId: string;
  readonly details: I extends keyof ErrorDetails ? ErrorDetails[I] : unknown;
  readonly retryAfterMs: number | undefined;

  constructor({ id, status, message, requestId, details, retryAfterMs }: ErrorParts) {
    // That of `validation.invalid_specification` is an object.
    super((message as { description?: string } | undefined)?.description ?? message);
    this.id = id as I;
    this.status = status;
    this.requestId = requestId;
    this.details = details as MillraceError<I>['details'];
    // Messages tell in the error what HTTP tells in a header.
    this.retryAfterMs = retryAfterMs ?? (details as ErrorParts | undefined)?.retryAfterMs;
  }

  /** True if the same request may succeed later (408, 429, 502, 503, 504, or a repeat that is still running). */
  get isRetryable(): boolean {
    return RETRYABLE_STATUSES.includes(this.status) || this.id === 'idempotency.in_progress';
  }
}

/**
 * Tells whether something that was thrown is an error of the server with one of these ids; without ids, whether it is
 * one at all. `error.details` is typed afterwards.
 *
 * ```ts
 * if (isError(error, 'document.version_conflict')) …
 * ```
 */
export function isError<I extends ErrorId | (string & {}) = string>(
  error: unknown,
  ...ids: readonly I[]
): error is MillraceError<I> {
  return error instanceof MillraceError && (ids.length === 0 || ids.includes(error.id as I));
}
