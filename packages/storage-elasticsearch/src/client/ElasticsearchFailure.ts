import { errors } from '@elastic/elasticsearch';
import { MAX_RESULT_BYTES, queryErrors, storageErrors, type JsonObject, type MillraceError } from '@millrace/kernel';

/** An error as Elasticsearch returns it, for a whole request or for one item of it. */
export interface ElasticsearchErrorBody {
  readonly type?: string;
  readonly reason?: string;
  readonly root_cause?: readonly ElasticsearchErrorBody[];
  readonly caused_by?: ElasticsearchErrorBody;
  readonly failed_shards?: readonly { readonly reason?: ElasticsearchErrorBody }[];
}

/** Statuses of an Elasticsearch that is up but can't respond now: a retry may help. */
const BUSY = new Set([408, 429, 502, 503, 504]);

/** Failure type: we cancelled the request at its time limit. */
export const GIVEN_UP = 'given_up';

/** Failure type: the request was cancelled because its caller disconnected. */
export const CANCELLED = 'cancelled';

/** Failure type: the response was larger than the request permits. */
export const OVERSIZED = 'oversized';

/** Failures that a retry can't fix. */
const LASTING = new Set(['certificate', CANCELLED, OVERSIZED]);

/** Client messages about an untrusted certificate. */
const UNTRUSTED =
  /self-signed certificate|unable to (get|verify)|certificate (has expired|is not yet valid|revoked)|does not match certificate|altnames/i;

/** Block of an index that is closed or about to be. */
const CLOSING = /FORBIDDEN\/4\/index (closed|preparing to close)/;

/** A failed request, classified for the engine's decisions. */
export class ElasticsearchFailure extends Error {
  /** Status of the response; 0 if there was none, 503 for a closed index, which is closed while analyzers are added. */
  readonly status: number;

  /**
   * @param status of the response; 0 if there was none
   * @param wasSent false if Elasticsearch certainly did not receive the request
   */
  constructor(
    status: number,
    readonly type: string,
    readonly reason: string,
    readonly wasSent: boolean,
    cause?: unknown,
  ) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'ElasticsearchFailure';
    this.status = type === 'index_closed_exception' || CLOSING.test(reason) ? 503 : status;
  }

  /** Elasticsearch is unreachable, refuses the login, or is too busy. */
  get isOutage(): boolean {
    const { status } = this;
    return status === 0 || status === 401 || status === 403 || status >= 500 || BUSY.has(status);
  }

  /** A retry may succeed. */
  get isPassing(): boolean {
    return (this.status === 0 && !LASTING.has(this.type)) || BUSY.has(this.status);
  }

  /** The time limit `giveUpAfterMs` has passed. */
  get isGivenUp(): boolean {
    return this.type === GIVEN_UP;
  }

  /** The caller has disconnected (`signal`). */
  get isCancelled(): boolean {
    return this.type === CANCELLED;
  }

  /** The response is larger than `maxBytes`. */
  get isOversized(): boolean {
    return this.type === OVERSIZED;
  }

  /** Elasticsearch refuses to allocate the memory. */
  get isTooLarge(): boolean {
    return this.type === 'circuit_breaking_exception';
  }

  get isMissingIndex(): boolean {
    return this.type === 'index_not_found_exception' || this.type === 'alias_not_found_exception';
  }
}

/** The failure of an item or of a whole request, with Elasticsearch's message. */
export function failureOf(status: number, body: ElasticsearchErrorBody | undefined): ElasticsearchFailure {
  const type = body?.type ?? 'unknown';
  return new ElasticsearchFailure(status, type, rootReason(body) ?? `status ${status}`, true);
}

/** Wraps any error of the client. */
export function toElasticsearchFailure(error: unknown): ElasticsearchFailure {
  if (error instanceof ElasticsearchFailure) return error;
  if (error instanceof errors.ResponseError) {
    const body = error.body as JsonObject | string | undefined;
    const inner =
      typeof body === 'object' && typeof body['error'] === 'object'
        ? (body['error'] as ElasticsearchErrorBody)
        : undefined;
    const status = error.statusCode ?? 500;
    const refused = status === 401 || status === 403 ? 'Elasticsearch refuses the login' : undefined;
    const plain = typeof body === 'object' ? body['error'] : undefined;
    const reason = refused ?? rootReason(inner) ?? (typeof plain === 'string' ? plain : undefined);
    return new ElasticsearchFailure(status, typeOf(inner), reason ?? `Elasticsearch answers ${status}`, true, error);
  }
  if (error instanceof errors.TimeoutError) {
    return new ElasticsearchFailure(0, 'timeout', 'Elasticsearch did not answer in time', true, error);
  }
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError) {
    const text = error.message;
    if (UNTRUSTED.test(text)) {
      const reason = `the certificate of Elasticsearch is not trusted (${text}): expected one signed by storage.elasticsearch.tlsCa`;
      return new ElasticsearchFailure(0, 'certificate', reason, false, error);
    }
    const wasSent = !/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|NoLiving/.test(`${text} ${error.name}`);
    // Clients receive the reason: without the address.
    const cause = /\bE[A-Z_]{3,}\b/.exec(text)?.[0] ?? text.replace(/ - Local:.*/s, '');
    const reason = `Elasticsearch can't be reached (${cause})`;
    return new ElasticsearchFailure(0, 'connection', reason, wasSent, error);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ElasticsearchFailure(0, 'client', `Elasticsearch can't be used: ${message}`, true, error);
}

/** The innermost reason: the outer ones say only that a part of the request failed. */
function rootReason(body: ElasticsearchErrorBody | undefined): string | undefined {
  if (body === undefined) return undefined;
  const shard = body.failed_shards?.[0]?.reason;
  const root = shard ?? body.root_cause?.[0] ?? body;
  const own = root.reason ?? body.reason;
  const inner = innermost(root.caused_by ?? body.caused_by);
  // Failures while merging shard responses have an empty reason.
  if (own === undefined || own === '') return inner;
  return inner === undefined || own.includes(inner) ? own : `${own}: ${inner}`;
}

/** The type of the cause, for a search that failed on its shards or while merging their responses. */
function typeOf(body: ElasticsearchErrorBody | undefined): string {
  const outer = body?.type ?? 'unknown';
  if (outer !== 'search_phase_execution_exception') return outer;
  let cause = body?.caused_by;
  while (cause?.caused_by !== undefined) cause = cause.caused_by;
  return body?.root_cause?.[0]?.type ?? cause?.type ?? outer;
}

function innermost(body: ElasticsearchErrorBody | undefined): string | undefined {
  let found = body;
  while (found?.caused_by?.reason !== undefined) found = found.caused_by;
  return found?.reason;
}

/**
 * Converts a failure that isn't caused by the request itself to an error for the client: 503, unless the caller
 * cancelled the request or limited it.
 */
export function toUnavailable(failure: ElasticsearchFailure): MillraceError {
  const extras = { cause: failure };
  if (failure.isCancelled) return queryErrors.cancelled({}, extras);
  if (failure.isOversized) {
    return queryErrors.result_too_large({ maxBytes: MAX_RESULT_BYTES }, extras);
  }
  return storageErrors.unavailable({ reason: failure.reason }, extras);
}
