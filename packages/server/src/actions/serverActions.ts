import {
  alsoInBody,
  apiErrors,
  defineAction,
  integer,
  route,
  type ActionDefinition,
} from '@millrace/kernel';
import type { Metrics } from '../statistics/Metrics.js';
import type { StatisticsCollector } from '../statistics/StatisticsCollector.js';
import type { HealthCheck } from './HealthCheck.js';
import type { ServerInformation } from './ServerInformation.js';
import type { Clock, Config, Security } from '@millrace/kernel';

/** What the server controller tells from. */
export interface ServerActionParts {
  readonly clock: Clock;
  readonly config: Config;
  readonly security: Security;
  readonly statistics: StatisticsCollector;
  readonly metrics: Metrics;
  readonly health: HealthCheck;
  readonly information: ServerInformation;
}

const SERVER = { controller: 'server', args: {}, writes: false } as const;

/** The server controller (interface.md; decisions.md section 9). */
export function serverActions(parts: ServerActionParts): readonly ActionDefinition[] {
  return [
    defineAction({
      ...SERVER,
      action: 'info',
      summary: 'Describes the server: version, routes, plugins, services, machine.',
      routes: [route('GET /_serverInfo'), route('GET /')],
      run: ({ request }) => parts.information.describe(request.user),
    }),
    defineAction({
      ...SERVER,
      action: 'now',
      summary: 'Tells the time of the server in UTC milliseconds.',
      routes: [route('GET /_now')],
      run: () => ({ now: parts.clock.nowMs() }),
    }),
    defineAction({
      ...SERVER,
      action: 'adminExists',
      summary: 'Tells whether a first administrator exists.',
      routes: [route('GET /_adminExists')],
      run: async () => ({ exists: await parts.security.adminExists() }),
    }),
    defineAction({
      ...SERVER,
      action: 'getConfig',
      summary: 'Shows the configuration with every secret redacted.',
      routes: [route('GET /_getConfig')],
      run: () => parts.config.redacted,
    }),
    defineAction({
      ...SERVER,
      action: 'healthCheck',
      summary: 'Tells the state of each service; 503 when one is down.',
      routes: [route('GET /_healthCheck')],
      run: () => parts.health.check(),
    }),
    defineAction({
      ...SERVER,
      action: 'metrics',
      summary: 'Figures for Prometheus.',
      routes: [route('GET /_metrics')],
      run: () => parts.metrics.read(),
    }),
    ...statisticsActions(parts.statistics),
  ];
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
      run: () => statistics.last(),
    }),
    defineAction({
      ...SERVER,
      action: 'getAllStats',
      summary: 'All statistics frames that are kept.',
      routes: [route('GET /_getAllStats')],
      run: () => list(),
    }),
    defineAction({
      ...SERVER,
      action: 'getStats',
      summary: 'The statistics frames of a range of time, bounds included.',
      routes: [route('POST /_getStats')],
      args: { startTime: alsoInBody(integer()), stopTime: alsoInBody(integer()) },
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
