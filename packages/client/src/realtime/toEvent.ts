import type { Notification } from '@millrace/actions';
import type { RealtimeEvent } from './RealtimeEvent.js';

/** The event of a notification; undefined for one that isn't for the application. */
export function toEvent(notification: Notification): RealtimeEvent<unknown> | undefined {
  const { controller, cursor, replayed = false, timestamp, metadata, state } = notification;
  if (state !== 'done') return undefined;
  const origin = { ...(cursor !== undefined && { cursor }), replayed, timestamp, metadata };
  if (controller === 'document') {
    const { action, scope, result } = notification;
    const { _id: id, _version: version, _meta: meta } = result;
    if (scope === 'out') return { kind: 'left', action, id, version, meta, ...origin };
    return { kind: 'changed', action, id, version, source: result._source, meta, ...origin };
  }
  if (controller !== 'realtime') return undefined;
  switch (notification.action) {
    case 'publish': {
      const { _id: id, _source: source } = notification.result;
      return { kind: 'message', source, ...(id !== undefined && { id }), ...origin };
    }
    case 'subscribe':
    case 'unsubscribe': {
      const { roomId: _, ...user } = notification.result;
      return { kind: 'users', change: notification.user, ...user, ...origin };
    }
    default:
      return undefined;
  }
}
