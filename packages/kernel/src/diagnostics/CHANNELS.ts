import { channel, tracingChannel, type TracingChannel } from 'node:diagnostics_channel';
import type { ChangeOrigin } from '../contracts/realtime/DocumentListeners.js';
import type { CollectionName } from '../contracts/storage/StorageEngine.js';
import type { Request } from '../contracts/request/Request.js';
import type { Response } from '../contracts/request/Response.js';

/** A request, from the message to the response. `result` is the response. */
export interface RequestTrace {
  readonly request: Request;
  /** Whether the server has the action. If not, its names are any that the client has chosen. */
  readonly isKnown: boolean;
  result?: Response;
}

/** A call of the storage engine. */
export interface StorageTrace {
  /** The method of the engine, such as `search` or `write`. */
  readonly operation: string;
  /** Null if the call concerns no collection. */
  readonly target: CollectionName | null;
  /** How many documents the call reads or writes, if it names them. */
  readonly batchSize: number | undefined;
  error?: unknown;
}

/** The notification of all subscribers of this node about a change of a document. */
export interface NotifyTrace extends CollectionName {
  /** The request that made the change: the object of `RequestTrace`, if it was made on this node. */
  readonly origin: ChangeOrigin;
  /** Connections that it was sent to; known at the end. */
  receiverCount: number;
}

/** A line of the log that is about to be written: subscribers add to `fields`. */
export interface LogTrace {
  readonly fields: Record<string, unknown>;
}

/*
 * Channels of `node:diagnostics_channel` that tools for observation subscribe to, by name: `tracing:millrace.request:start`
 * and so on. Every server of the process publishes on them. Without subscribers a channel costs one check.
 */

/** Requests: `start`, and `asyncEnd` with the response as `result`. */
export const REQUEST_CHANNEL: TracingChannel<RequestTrace> = tracingChannel('millrace.request');

/** Calls of the storage engine: `start`, then `asyncEnd`, or `end` alone if the engine answers at once. */
export const STORAGE_CHANNEL: TracingChannel<StorageTrace> = tracingChannel('millrace.storage');

/** Notifications of subscribers: `start` and `end`. */
export const NOTIFY_CHANNEL: TracingChannel<NotifyTrace> = tracingChannel('millrace.notify');

/** Lines of the log, as `LogTrace`. */
export const LOG_CHANNEL = channel('millrace.log');
