import { schema, type JsonObject } from '@millrace/kernel';
import type { NotificationKind } from '@millrace/realtime';

const { text, integer, object, oneOf, orNull, named } = schema;

/** Fields of every notification (PROTO-80). */
const NOTIFICATION = named(
  'Notification',
  object(
    {
      status: { const: 200 },
      error: { type: 'null' },
      requestId: {
        ...text,
        description: 'Of the request that caused it, or "server notification".',
      },
      controller: text,
      action: text,
      index: orNull(text),
      collection: orNull(text),
      metadata: { type: 'object', description: 'Of the request that caused it.' },
      state: oneOf('pending', 'done'),
      scope: oneOf('in', 'out', null),
      timestamp: { ...integer(), description: 'UTC milliseconds.' },
      result: {},
    },
    {
      room: { ...text, description: 'The channel; on WebSocket alone.' },
      roomId: { ...text, description: 'The room; absent where the notification is of no room.' },
      cursor: { ...text, description: 'Position of the change; absent if it is not recorded.' },
      replayed: { const: true, description: 'Only in notifications that a resume sends.' },
      user: { ...oneOf('in', 'out'), description: "Of users' events alone: came or went." },
    },
  ),
);

/** The schema of one kind of notification. */
export function notificationSchema(kind: NotificationKind): JsonObject {
  const { controller, action, state, scope, result } = kind;
  const properties = {
    controller: { const: controller },
    action: { const: action },
    state: { const: state },
    scope: { const: scope },
    result,
  };
  return { allOf: [NOTIFICATION, { type: 'object', properties }] };
}
