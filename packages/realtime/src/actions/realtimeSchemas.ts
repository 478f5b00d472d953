import { schema, type JsonObject } from '@millrace/kernel';
import { GAP_REASONS } from '../Gap.js';

const { text, integer, object, list, mapOf, named, orNull } = schema;

const filter: JsonObject = {
  type: 'object',
  description: 'A filter of the real-time filter language; empty: every document and message.',
};

const subscription = named(
  'Subscription',
  object(
    {
      roomId: { ...text, pattern: '^[0-9a-f]{32}$' },
      channel: text,
      timestamp: { ...integer(), description: 'UTC milliseconds.' },
    },
    {
      cursor: { ...text, description: 'The notifications after this position follow.' },
      resumed: { type: 'boolean', description: 'Whether missed notifications are sent.' },
      gap: object({ reason: { enum: [...GAP_REASONS] }, message: text }),
      name: text,
      replaced: {
        const: true,
        description: 'The name had another collection, filter or options.',
      },
    },
  ),
);

const answer = object({
  status: integer(),
  error: orNull({ type: 'object' }),
  result: orNull(subscription),
});
const options = {
  filter,
  query: { type: 'object' },
  scope: { enum: ['all', 'in', 'out', 'none'] },
  state: { enum: ['all', 'pending', 'done'] },
  users: { enum: ['all', 'in', 'out', 'none'] },
  cursor: text,
  mode: { enum: ['events', 'state', 'auto'] },
  maxReplay: integer(1),
  presence: { type: 'object' },
  name: text,
};
const resumes = object({ subscriptions: list(object({ index: text, collection: text }, options)) });

/** Request and response schemas of the realtime controller. */
export const realtimeSchemas = {
  filter: named('RealtimeFilter', filter),
  message: { type: 'object', description: 'The message; `_id` may name it.' } as JsonObject,
  subscription,
  resumes,
  resumed: object({ subscriptions: list(answer) }),
  changes: object({
    changes: {
      ...list({ type: 'object' }),
      description: 'Notifications with `replayed: true`, oldest first.',
    },
    cursor: { ...text, description: 'The `cursor` of the next request.' },
    upToDate: { type: 'boolean', description: 'False: more changes follow at once.' },
  }),
  acknowledged: object({ name: text, cursor: text }),
  names: object({
    names: list(
      object(
        {
          name: text,
          index: text,
          collection: text,
          filter,
          channel: text,
          scope: options.scope,
          state: options.state,
          users: options.users,
          cursor: { ...orNull(text), description: 'The acknowledged position.' },
          usedAt: { ...integer(), description: 'UTC milliseconds.' },
        },
        { apiKeyId: { ...text, description: 'Of the API key that it belongs to.' } },
      ),
    ),
  }),
  name: object({ name: text }),
  search: named('FollowedSearch', {
    type: 'object',
    description: 'A search as for `document.search`, without `scroll`.',
  }),
  followed: object(
    {
      followId: text,
      channel: text,
      cursor: { ...text, description: 'The `base` of the next delta.' },
      mode: { enum: ['incremental', 'rerun'] },
      check: { ...text, pattern: '^[0-9a-f]{8}$' },
    },
    {
      because: { ...text, description: 'Why the search is run again at each change.' },
      hits: list({ type: 'object' }),
      total: integer(),
      aggregations: { type: 'object' },
      deltas: {
        ...list({ type: 'object' }),
        description: 'In place of the result: what follows the `cursor` of the request.',
      },
    },
  ),
  unfollowed: object({ followId: text }),
  room: object({ roomId: text }),
  count: object({ roomId: text, count: integer() }),
  presence: object({
    roomId: text,
    count: { ...integer(), description: 'All members.' },
    total: { ...integer(), description: 'Those that want to be seen.' },
    users: list(
      object({
        userId: text,
        presence: { type: 'object' },
        since: { ...integer(), description: 'UTC milliseconds.' },
      }),
    ),
  }),
  /** Index → collection → room → count. */
  rooms: mapOf(mapOf(mapOf(integer()))),
  empty: object({}),
} as const;
