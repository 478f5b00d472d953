import type { ActionDefinition, JsonObject } from '@millrace/kernel';
import type { Describable } from '../Describable.js';
import { SchemaCatalog } from '../SchemaCatalog.js';
import { ErrorResponses } from './ErrorResponses.js';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './HEADERS.js';
import { operationOf, type OperationContext } from './operationOf.js';

/** The health pages of the HTTP entrypoint, which are no actions (HEALTH-1), as members of `paths`. */
const HEALTH_PATHS: JsonObject = {
  '/livez': probe('livez', 'Whether the process answers.', ['alive']),
  '/readyz': probe(
    'readyz',
    'Whether the server can take requests.',
    ['ready'],
    ['starting', 'stopping', 'storage', 'cluster'],
  ),
  '/startupz': probe('startupz', 'Whether the server has started.', ['started'], ['starting']),
};

function probe(operationId: string, summary: string, good: readonly string[], bad: readonly string[] = []): JsonObject {
  const response = (description: string, words: readonly string[]) => ({
    description,
    content: {
      'text/plain': { schema: { type: 'string', enum: words.map((word) => `${word}\n`) } },
    },
  });
  const responses = {
    200: response('Yes.', good),
    ...(bad.length === 0 ? undefined : { 503: response('No, and why.', bad) }),
  };
  return { get: { operationId, summary, tags: ['health'], security: [{}], responses } };
}

const DESCRIPTION = `Made from the actions of this server, those of plugins included. Every response is an envelope with the
members of \`Response\`. Every route also answers below \`/api/1.0\`; \`/users\`, \`/profiles\` and \`/roles\` also as \`/_users\`,
\`/_profiles\` and \`/_roles\`. Any optional argument of an action may be in the query string.`;

/** Parameters of every route. */
const SHARED_PARAMETERS: JsonObject = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Comes back as `requestId`: 1 to 128 printable ASCII characters.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[ -~]+$' },
  },
  Metadata: {
    name: 'metadata',
    in: 'query',
    description: 'A JSON object that comes back in the response and in notifications.',
    content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
  },
};

const SHARED_REFERENCES = Object.keys(SHARED_PARAMETERS).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

/** Builds an OpenAPI 3.1 document of all routes of a server. */
export function describeOpenApi({ actions, version, serviceName }: Describable): JsonObject {
  const catalog = new SchemaCatalog();
  const errors = new ErrorResponses(catalog);
  const routed = routedActions([...actions]);
  const paths: Record<string, Record<string, JsonObject | JsonObject[]>> = {};
  for (const { action, route, hidden } of routed) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const context: OperationContext = { catalog, errors, hidden };
    paths[path] ??= { parameters: SHARED_REFERENCES };
    paths[path][route.method.toLowerCase()] = operationOf(action, route, context);
  }
  const controllers = [...new Set(routed.map(({ action }) => action.controller))].sort();
  return {
    openapi: '3.1.0',
    info: {
      title: `Millrace (${serviceName})`,
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the document: a server may be mounted below a path.
    servers: [{ url: '.' }, { url: './api/1.0' }],
    // A request without a token is anonymous; the roles decide what it may do.
    security: [{ token: [] }, {}],
    tags: [...controllers, 'health'].map((name) => ({ name })),
    paths: { ...paths, ...HEALTH_PATHS },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: { ...SHARED_PARAMETERS, ...REQUEST_HEADERS },
      headers: RESPONSE_HEADERS,
      responses: errors.responses,
      schemas: catalog.schemas,
    },
  };
}

interface RoutedAction {
  readonly action: ActionDefinition;
  readonly route: ActionDefinition['routes'][number];
  readonly hidden: readonly ActionDefinition[];
}

/** The action of each route: of two actions on one route the first (document.validate before realtime.validate). */
function routedActions(actions: readonly ActionDefinition[]): readonly RoutedAction[] {
  const found = new Map<string, RoutedAction & { readonly hidden: ActionDefinition[] }>();
  for (const action of actions) {
    for (const route of action.routes) {
      const key = `${route.method} ${route.path}`;
      const first = found.get(key);
      if (first === undefined) found.set(key, { action, route, hidden: [] });
      else first.hidden.push(action);
    }
  }
  return [...found.values()];
}
