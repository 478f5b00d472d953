import { schema, type JsonObject } from '@millrace/kernel';

const { text, integer, object, mapOf, named } = schema;

const filter: JsonObject = {
  type: 'object',
  description: 'A filter of the real-time filter language; empty: every document and message.',
};

/** Request and response schemas of the realtime controller. */
export const realtimeSchemas = {
  filter: named('RealtimeFilter', filter),
  message: { type: 'object', description: 'The message; `_id` may name it.' } as JsonObject,
  subscription: named(
    'Subscription',
    object({
      roomId: { ...text, pattern: '^[0-9a-f]{32}$' },
      channel: text,
      timestamp: { ...integer(), description: 'UTC milliseconds.' },
    }),
  ),
  room: object({ roomId: text }),
  count: object({ roomId: text, count: integer() }),
  /** Index → collection → room → count. */
  rooms: mapOf(mapOf(mapOf(integer()))),
  empty: object({}),
} as const;
