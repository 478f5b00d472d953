import type { Connection } from '../contracts/protocol/Protocol.js';
import type { Session } from '../contracts/security/Session.js';
import { ANONYMOUS, type User } from '../contracts/security/User.js';
import type { MillraceError } from '../errors/MillraceError.js';
import type { JsonObject } from '../json/Json.js';
import { shareClass } from '../copies/shareClass.js';

/** The `metadata` of requests that bring none. */
export const NO_METADATA: JsonObject = Object.freeze({});

/**
 * One request on its way through the pipeline, whatever protocol brought it. Fields are checked for their type and
 * `null` means absent; arguments of the action are checked later, into `args`.
 */
export class Request {
  /** Set by the authenticate step. */
  user: User = ANONYMOUS;
  /** The token that was presented and found valid; null where none was. Set by the authenticate step. */
  session: Session | null = null;
  /** Version of the document that the result shows: HTTP sends it as `ETag`. Set by the action. */
  version: number | null = null;
  /** Advice for the caller of a success: HTTP sends it as `Millrace-Hint`. Set by the action. */
  hint: string | null = null;
  /** On the monotonic clock. */
  readonly receivedAtMs = performance.now();
  private abort: AbortController | undefined;
  private unwatch: (() => void) | undefined;

  constructor(
    readonly requestId: string,
    /** As sent; empty where absent. */
    readonly controller: string,
    readonly action: string,
    readonly index: string | null,
    readonly collection: string | null,
    readonly id: string | null,
    readonly body: JsonObject | null,
    readonly metadata: JsonObject,
    /** The token presented, null where none was; an empty text is a malformed one. */
    readonly token: string | null,
    /** All fields at the top of the message, as sent; arguments are read from here. */
    readonly fields: Readonly<Record<string, unknown>>,
    readonly connection: Connection,
    /** What was wrong with the message: answered instead of running it. */
    readonly fault: MillraceError | null,
    /** Memory that its fields take, roughly, in bytes; 0 for small ones. */
    readonly bytes: number = 0,
  ) {}
  /** Aborted when the client has gone. Made when first asked for: few actions can be cancelled. */
  get signal(): AbortSignal {
    if (this.abort === undefined) {
      const abort = new AbortController();
      this.abort = abort;
      this.unwatch = this.connection.lifetime?.onClosed(() => abort.abort());
    }
    return this.abort.signal;
  }

  /** Stops watching the connection. Called by the dispatcher once the request has been answered. */
  settle(): void {
    this.unwatch?.();
  }
}

shareClass(Request, 'Request');
