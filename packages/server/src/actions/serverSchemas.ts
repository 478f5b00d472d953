import { schema, type JsonObject } from '@millrace/kernel';

const { text, boolean, integer, number, object, list, mapOf, named, orNull, oneOf } = schema;

const counts = mapOf(integer());
const frame = named(
  'StatisticsFrame',
  object({
    completedRequests: counts,
    failedRequests: counts,
    ongoingRequests: counts,
    connections: counts,
    slowConsumers: counts,
    timestamp: { ...text, pattern: '^[0-9]+$', description: 'UTC milliseconds.' },
  }),
  'Counts by protocol.',
);

const routeOf = object(
  { name: text },
  {
    method: oneOf('GET', 'POST', 'PUT', 'DELETE'),
    route: text,
    routes: list(object({ method: text, route: text })),
  },
);
const service = object({
  type: text,
  version: text,
  mode: text,
  memoryUsed: orNull(number),
  memoryPeak: orNull(number),
});
const state = object({ state: oneOf('up', 'degraded', 'down') }, { reason: text });

const described = object(
  {
    api: object({ version: text, routes: mapOf(mapOf(routeOf)) }),
    version: text,
    nodeVersion: text,
    uptime: integer(),
  },
  {
    memoryUsed: integer(),
    plugins: { type: 'object' },
    screens: {
      ...list(object({ path: text, title: text, actions: list(text) })),
      description: 'Of plugins, for the admin console.',
    },
    system: object({
      cpus: { type: 'array' },
      memory: object({ free: integer(), total: integer() }),
    }),
  },
);

/** Result schemas of the server controller. */
export const serverSchemas = {
  information: named(
    'ServerInformation',
    object({
      serverInfo: {
        ...object({ services: mapOf(service) }),
        additionalProperties: described,
        description: 'The server under the name of the service, and the services it uses.',
      },
    }),
  ),
  now: object({ now: { ...integer(), description: 'UTC milliseconds.' } }),
  exists: object({ exists: boolean }),
  configuration: {
    type: 'object',
    description:
      'Every key; secrets redacted. With `origins`: the file, environment variable or flag of each key that is set.',
  } as JsonObject,
  health: object(
    { state: oneOf('up', 'degraded'), services: mapOf(state) },
    { backup: object({ ageSeconds: integer() }), warnings: list(text) },
  ),
  description: { type: 'object' } as JsonObject,
  log: named(
    'LogPage',
    object({
      position: { ...text, description: 'Of the last line that was looked at, for the next request.' },
      continued: { ...boolean, description: 'No line is missing after the position of the request.' },
      host: { ...text, description: 'The machine of the node.' },
      pid: { ...integer(), description: 'The process of the node.' },
      hits: list(
        object({
          time: { ...integer(), description: 'UTC milliseconds.' },
          level: text,
          message: text,
          fields: { type: 'object' },
        }),
      ),
    }),
  ),
  frame,
  frames: object({ total: integer(), hits: list(frame) }),
} as const;
