import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import type { HeartbeatMessage, SizedMessage } from '@millrace/plugin-kit';

/** An event, encoded for a stream. */
export interface StreamEvent extends SizedMessage {
  readonly bytes: Buffer;
  /** Whether the subscription of the stream has ended with it. */
  readonly isLast: boolean;
}

/** Notifications with a name; others are plain messages (SSE-4). */
const NAMED: ReadonlySet<unknown> = new Set(['gap', 'resumed', 'subscriptionEnded', 'jwtTokenExpired']);
/** Nothing follows them. */
const LAST: ReadonlySet<unknown> = new Set(['subscriptionEnded', 'jwtTokenExpired']);

interface Notification {
  readonly controller: string;
  readonly action: string;
  readonly cursor?: string;
  readonly result: { readonly cursor?: string };
}

/** @param envelope JSON text of a notification */
export function toEvent(envelope: string): StreamEvent {
  const { controller, action, cursor, result } = JSON.parse(envelope) as Notification;
  const isNamed = (controller === 'realtime' || controller === 'auth') && NAMED.has(action);
  if (!isNamed) return event(undefined, cursor, envelope);
  const position = action === 'gap' ? result.cursor : cursor;
  return event(action, position, envelope, LAST.has(action));
}

/** The events of the answer to the subscription: `subscribed`, and `gap` if it could not be resumed. */
export function answerEvents(message: ResponseMessage, headers: { cursor?: string }): StreamEvent[] {
  const { cursor } = headers;
  const events = [event('subscribed', cursor, JSON.stringify(message))];
  const { roomId, gap } = message.result as { readonly roomId: string; readonly gap?: JsonObject };
  if (gap === undefined) return events;
  const result = { roomId, ...gap, ...(cursor !== undefined && { cursor }) };
  const notification = { ...message, action: 'gap', scope: null, result };
  return [...events, event('gap', cursor, JSON.stringify(notification))];
}

export function heartbeatEvent(heartbeat: HeartbeatMessage): StreamEvent {
  return event('heartbeat', heartbeat.cursor, JSON.stringify(heartbeat));
}

/** How long the client waits before it connects again. */
export function retryLine(afterMs: number): Buffer {
  return Buffer.from(`retry: ${Math.round(afterMs)}\n\n`);
}

/** @param id position from which the client resumes after this event */
function event(name: string | undefined, id: string | undefined, data: string, isLast = false): StreamEvent {
  const head = (name === undefined ? '' : `event: ${name}\n`) + (id === undefined ? '' : `id: ${id}\n`);
  const bytes = Buffer.from(`${head}data: ${data}\n\n`);
  return { bytes, length: bytes.length, isLast };
}
