import {
  alsoInBody,
  apiErrors,
  boolean,
  coreErrors,
  custom,
  defineAction,
  integer,
  oneOf,
  RawContent,
  route,
  type ActionDefinition,
} from '@millrace/kernel';
import type { ApiDescriptions, MadeDescription } from '../description/ApiDescriptions.js';
import type { Metrics } from '../statistics/Metrics.js';
import type { RecentLog } from '../logging/RecentLog.js';
import type { StatisticsCollector } from '../statistics/StatisticsCollector.js';
import type { HealthCheck } from './HealthCheck.js';
import type { ServerInformation } from './ServerInformation.js';
import { serverSchemas } from './serverSchemas.js';
import type { Clock, Config, Request, Security } from '@millrace/kernel';

/** Dependencies of the server controller. */
export interface ServerActionParts {
  readonly clock: Clock;
  readonly config: Config;
  readonly security: Security;
  readonly statistics: StatisticsCollector;
  /** Undefined: the program that embeds the server writes the log. */
  readonly recentLog: RecentLog | undefined;
  readonly metrics: Metrics;
  readonly health: HealthCheck;
  readonly information: ServerInformation;
  readonly descriptions: ApiDescriptions;
}

const SERVER = { controller: 'server', args: {}, writes: false } as const;

/** Actions of the server controller. */
export function serverActions(parts: ServerActionParts): readonly ActionDefinition[] {
  return [
    defineAction({
      ...SERVER,
      action: 'info',
      summary: 'Describes the server: version, routes, plugins, services, machine.',
      routes: [route('GET /_serverInfo'), route('GET /')],
      result: serverSchemas.information,
      run: ({ request }) => parts.information.describe(request.user),
    }),
    defineAction({
      ...SERVER,
      action: 'now',
      queue: 'immediate',
      summary: 'Tells the time of the server in UTC milliseconds.',
      routes: [route('GET /_now')],
      result: serverSchemas.now,
      run: () => ({ now: parts.clock.nowMs() }),
    }),
    defineAction({
      ...SERVER,
      action: 'adminExists',
      queue: 'immediate',
      summary: 'Tells whether a first administrator exists.',
      routes: [route('GET /_adminExists')],
      result: serverSchemas.exists,
      run: async () => ({ exists: await parts.security.adminExists() }),
    }),
    defineAction({
      ...SERVER,
      action: 'getConfig',
      summary: 'Shows the configuration with every secret redacted, or where each key is set.',
      routes: [route('GET /_getConfig')],
      args: { origins: boolean() },
      result: serverSchemas.configuration,
      run: ({ args }) => (args.origins === true ? parts.config.origins : parts.config.redacted),
    }),
    defineAction({
      ...SERVER,
      action: 'healthCheck',
      queue: 'immediate',
      summary: 'The state of each service, with the reason of a failure; 503 when one is down.',
      routes: [route('GET /_healthCheck')],
      result: serverSchemas.health,
      run: () => parts.health.check(),
    }),
    defineAction({
      ...SERVER,
      action: 'metrics',
      summary: 'Figures for Prometheus.',
      routes: [route('GET /_metrics')],
      mediaType: 'text/plain',
      run: () => parts.metrics.read(),
    }),
    logAction(parts.recentLog),
    ...statisticsActions(parts.statistics),
    ...descriptionActions(parts),
  ];
}

/** How a position looks; which process gave it is no matter of its form. */
const POSITION = /^[0-9a-f]{12}\.\d{1,15}$/;

function logAction(log: RecentLog | undefined): ActionDefinition {
  return defineAction({
    ...SERVER,
    action: 'getLogs',
    summary: 'The newest lines of the log of this node, or those after a position, the oldest first.',
    routes: [route('GET /_logs')],
    args: {
      after: custom('the position of an earlier answer', { type: 'string', pattern: POSITION.source }, (value) =>
        typeof value === 'string' && POSITION.test(value) ? value : undefined,
      ),
      level: oneOf('debug', 'info', 'warn', 'error'),
      size: integer(1, 1_000),
    },
    result: serverSchemas.log,
    run: ({ args: { after, level = 'debug', size = 100 } }) => {
      if (log === undefined) throw coreErrors.log_not_kept({});
      return log.read({ after, level, size });
    },
  });
}

function statisticsActions(statistics: StatisticsCollector): readonly ActionDefinition[] {
  const list = async (startMs?: number, stopMs?: number) => {
    const hits = await statistics.between(startMs, stopMs);
    return { total: hits.length, hits };
  };
  return [
    defineAction({
      ...SERVER,
      action: 'getLastStats',
      summary: 'The newest statistics frame.',
      routes: [route('GET /_getLastStats')],
      result: serverSchemas.frame,
      run: () => statistics.last(),
    }),
    defineAction({
      ...SERVER,
      action: 'getAllStats',
      summary: 'All statistics frames that are kept.',
      routes: [route('GET /_getAllStats')],
      result: serverSchemas.frames,
      run: () => list(),
    }),
    defineAction({
      ...SERVER,
      action: 'getStats',
      summary: 'The statistics frames of a range of time, bounds included.',
      routes: [route('POST /_getStats')],
      args: { startTime: alsoInBody(integer()), stopTime: alsoInBody(integer()) },
      result: serverSchemas.frames,
      run: ({ args: { startTime, stopTime } }) => {
        if (startTime !== undefined && stopTime !== undefined && startTime > stopTime) {
          throw apiErrors.invalid_argument({
            name: 'startTime',
            value: String(startTime),
            expected: `at most stopTime (${stopTime})`,
          });
        }
        return list(startTime, stopTime);
      },
    }),
  ];
}

/** Whoever may call server.info, which lists the routes, may read their description. */
function descriptionActions({ descriptions, security }: ServerActionParts) {
  const describe = async (request: Request, make: () => Promise<MadeDescription>) => {
    const target = { controller: 'server', action: 'info', index: null, collection: null };
    await security.authorizeTarget(request, { ...target, id: null, body: null });
    const { document, text } = await make();
    // Over HTTP the response is the bare document, as tools expect; other protocols return it as a result.
    if (request.connection.protocol !== 'http') return document;
    return new RawContent('application/json; charset=utf-8', text);
  };
  const common = {
    ...SERVER,
    authorizesItself: true,
    mediaType: 'application/json',
    result: serverSchemas.description,
  };
  return [
    defineAction({
      ...common,
      action: 'openapi',
      summary: 'Describes the HTTP routes as OpenAPI 3.1; needs the right to server.info.',
      routes: [route('GET /_openapi'), route('GET /swagger.json')],
      run: ({ request }) => describe(request, () => descriptions.openApi()),
    }),
    defineAction({
      ...common,
      action: 'asyncapi',
      summary: 'Describes the other protocols as AsyncAPI 3; needs the right to server.info.',
      routes: [route('GET /_asyncapi')],
      run: ({ request }) => describe(request, () => descriptions.asyncApi()),
    }),
  ];
}
