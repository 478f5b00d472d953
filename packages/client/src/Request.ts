import type { MessageFields } from '@millrace/actions';

/** Options of one request. */
export interface RequestOptions {
  /** Ends the wait: the promise rejects with the reason of the signal, an `AbortError` by default. */
  readonly signal?: AbortSignal;
  /** How long the call may take with all its repeats, in milliseconds; 0: no limit. Default: that of the client. */
  readonly timeoutMs?: number;
  /** How often the request may be sent again. Default: that of the client, for reads and requests with a key. */
  readonly retries?: number;
  /**
   * Identifies a write, so that it is executed once however often it is sent; `true` makes a key. Writes with a key are
   * repeated as reads are.
   */
  readonly idempotencyKey?: string | true;
  /** Used in place of the session's token; null: anonymous. */
  readonly token?: string | null;
}

const READING_CONTROLLERS = ['document', 'collection', 'index', 'realtime', 'security', 'server'];
const READING = /^(m?[gG]et|search|count|exists|list|now|info|validate)/;

/** Whether a request changes nothing, so that it may be sent again. Actions of plugins may change something. */
export function isRead({ controller, action }: MessageFields): boolean {
  return READING_CONTROLLERS.includes(controller as string) && READING.test(action as string);
}
