import type { Connection } from './Connection.js';
import type { RateLimitState } from '../security/RateLimits.js';
import type { Target } from '../security/Security.js';
import type { Session } from '../security/Session.js';
import { ANONYMOUS, type User } from '../security/User.js';
import type { MillraceError } from '../../errors/MillraceError.js';
import type { JsonObject } from '../../json/Json.js';
import type { Cookie } from './Cookie.js';
import { FieldReader, type RequestFields } from './FieldReader.js';
import { shareClass } from '../../copies/shareClass.js';

/** The `metadata` of requests without any. */
export const NO_METADATA: JsonObject = Object.freeze({});

const NO_TARGET: Target = Object.freeze({
  controller: '',
  action: '',
  index: null,
  collection: null,
  id: null,
  body: null,
});

/**
 * One request on its way through the pipeline, from any protocol. The types of its fields are checked, and `null` means
 * absent; the names it acts on are parsed into `target`, its arguments later into `args`.
 */
export class Request {
  readonly requestId: string;
  /** As sent; empty if absent. */
  readonly controller: string;
  readonly action: string;
  /** As sent, for the response to repeat; `target` has the checked name. */
  readonly index: string | null;
  readonly collection: string | null;
  readonly body: JsonObject | null;
  readonly metadata: JsonObject;
  /** The token presented, null if there was none; an empty string is a malformed token. */
  readonly token: string | null;
  /**
   * The field `headers` as sent: over HTTP authorization, cookie, idempotency-key, if-match and
   * if-none-match.
   */
  readonly headers: JsonObject | null;
  /** A problem of the message: answered instead of running it. */
  readonly fault: MillraceError | null;
  /** Set by the authenticate step. */
  user: User = ANONYMOUS;
  /** The valid token of the request; null if none was presented. Set by the authenticate step. */
  session: Session | null = null;
  /** The checked target: set before authorisation, and passed to the action as arguments. */
  target: Target = NO_TARGET;
  /** Version of the document in the result: HTTP sends it as `ETag`. Set by the action. */
  version: number | null = null;
  /** Advice for the caller with a successful result: HTTP sends it as `Millrace-Hint`. Set by the action. */
  hint: string | null = null;
  /** Sent with a successful result, if the protocol has cookies. Set by the action, or by the strategy of a login. */
  cookie: Cookie | null = null;
  /** False if a repeated request with the same idempotency key must run again. Set by the action. */
  isAnswerKept = true;
  /** What the request was counted against; null if it isn't limited. Set by `RateLimits`. */
  rateLimit: RateLimitState | null = null;
  /**
   * Bytes of the answer, resolved later if it is encoded in parts; null: not known. The promise never rejects. Set by
   * the entrypoint, in the turn in which it receives the response.
   */
  answerBytes: number | Promise<number> | null = null;
  /** On the monotonic clock. */
  readonly receivedAtMs = performance.now();
  private abort: AbortController | undefined;
  private unwatch: (() => void) | undefined;
  private afterAnswer: (() => void) | undefined;

  constructor(
    private readonly fields: RequestFields,
    readonly connection: Connection,
    fault: MillraceError | null,
    /** Approximate memory used by its fields in bytes; 0 for small ones. */
    readonly bytes: number = 0,
  ) {
    const reader = new FieldReader(fields, fault);
    // Each field by its name in the source: a loop over names was measured to cost three times as much.
    this.requestId = reader.requestId(fields['requestId']);
    this.controller = reader.text('controller', fields['controller']) ?? '';
    this.action = reader.text('action', fields['action']) ?? '';
    reader.refresh(fields['refresh']);
    this.headers = reader.object('headers', fields['headers']);
    this.index = reader.text('index', fields['index']);
    this.collection = reader.text('collection', fields['collection']);
    this.body = reader.object('body', fields['body']);
    this.metadata = reader.object('metadata', fields['metadata']) ?? NO_METADATA;
    this.token = reader.token(fields['jwt'], this.headers);
    this.fault = reader.fault;
  }

  /** The W3C trace context that the client sent: field `traceparent` of the message, or the HTTP header. */
  get traceparent(): string | undefined {
    const { fields, connection } = this;
    const value = Object.hasOwn(fields, 'traceparent') ? fields['traceparent'] : undefined;
    return typeof value === 'string' ? value : connection.header?.('traceparent');
  }

  /** Aborted when the client has disconnected. Created on first access, since few actions can be cancelled. */
  get signal(): AbortSignal {
    if (this.abort === undefined) {
      const abort = new AbortController();
      this.abort = abort;
      this.unwatch = this.connection.lifetime?.onClosed(() => abort.abort());
    }
    return this.abort.signal;
  }

  /** Runs something once the response has been passed to the protocol, whether it is a success or not. */
  onAnswered(then: () => void): void {
    const { afterAnswer: before } = this;
    this.afterAnswer = before === undefined ? then : () => (before(), then());
  }

  /** Stops watching the connection. Called by the dispatcher once the request has been answered. */
  settle(): void {
    this.unwatch?.();
    // The protocol sends the response in the same turn.
    if (this.afterAnswer !== undefined) setImmediate(this.afterAnswer);
  }
}

/**
 * All fields at the top of the message, as sent. For `readTarget` and `checkArguments` only: other code uses their
 * results.
 */
export function fieldsOf(request: Request): RequestFields {
  return request['fields'];
}

shareClass(Request, 'Request');
