import type { JsonValue } from '@millrace/kernel';

/** What a notification says (PROTO-80). */
export interface Notification {
  readonly requestId: string;
  readonly controller: string;
  readonly action: string;
  readonly index: string | null;
  readonly collection: string | null;
  readonly metadata: JsonValue;
  readonly state: 'pending' | 'done';
  readonly scope: 'in' | 'out' | null;
  /** In users' events: whether the user came or went. */
  readonly user?: 'in' | 'out';
  readonly result: JsonValue;
}

/** Of notifications that answer no request. */
export const SERVER_NOTIFICATION = 'server notification';

/** The envelope of a notification as JSON text: every protocol sends this very text. */
export function toEnvelope(notification: Notification, timestampMs: number): string {
  const { result, ...fields } = notification;
  return JSON.stringify({ status: 200, error: null, ...fields, timestamp: timestampMs, result });
}

/** The envelope of a notification for one room. What goes to several rooms is encoded once. */
export function ofRoom(envelope: string, roomId: string): string {
  return `{"roomId":"${roomId}",${envelope.slice(1)}`;
}
