import { randomUUID } from 'node:crypto';
import { BACKUPS } from '@millrace/backup';
import {
  ACTIONS,
  ANSWER_STORE,
  CHANGE_LOG,
  CLOCK,
  FOLLOW_STATISTICS,
  isJsonObject,
  MEMORY_STORE_ENGINE,
  NODE_LINK,
  RECORD_PLACE,
  SECURITY,
  STORAGE_ENGINE,
  type ActionDefinition,
  type AnswerStore,
  type Config,
  type Lifecycle,
  type Module,
  type ModuleHost,
  type Plugin,
  type Protocol,
  type ProtocolChannels,
  type NetworkGuard,
  type RequestScheduler,
} from '@millrace/kernel';
import { ClientAddresses } from '@millrace/security';
import { clientActions } from '../actions/clientActions.js';
import { HealthCheck } from '../actions/HealthCheck.js';
import { serverActions } from '../actions/serverActions.js';
import { ServerInformation } from '../actions/ServerInformation.js';
import { ApiDescriptions } from '../description/ApiDescriptions.js';
import type { DescribedProtocol } from '../description/Describable.js';
import { logRequests } from '../logging/logRequests.js';
import { StoredAnswers } from '../idempotency/StoredAnswers.js';
import type { LogConfig } from '../logging/createLogger.js';
import type { RecentLog } from '../logging/RecentLog.js';
import type { ServerConfig } from '../config.js';
import { FrameStore } from '../statistics/FrameStore.js';
import { Metrics } from '../statistics/Metrics.js';
import { StatisticsCollector, type StatisticsOptions } from '../statistics/StatisticsCollector.js';
import { VERSION } from '../version.js';
import type { Contributions } from './Contributions.js';
import type { InjectionToken } from 'tsyringe';

/**
 * Limits connections and the requests allowed to pages of other origins. Resolved once all modules have been set up.
 */
export const NETWORK_GUARD: InjectionToken<NetworkGuard> = Symbol('NetworkGuard');

/** Queues requests by class and shares turns fairly. Resolved once the storage engine is known. */
export const SCHEDULER: InjectionToken<RequestScheduler> = Symbol('RequestScheduler');

/** Statistics, metrics, health and descriptions of the server, kept answers, and the schedules of plugins. */
export function serverModule(
  contributions: Contributions,
  plugins: readonly Plugin[],
  recentLog: RecentLog | undefined,
): Module {
  return {
    name: 'server',
    setup(host) {
      host.services.resolve(ACTIONS).alias('admin', ['collection', 'index', 'server']);
      const statistics = collectStatistics(host, contributions);
      const { requests } = host.settings.section<LogConfig>('log');
      if (requests === true) logRequests(contributions.hooks, host.log);
      const answers = keepAnswers(host);
      host.actions(() =>
        clientActions({
          clock: host.services.resolve(CLOCK),
          changeLog: host.services.resolve(CHANGE_LOG),
          log: host.log,
        }),
      );
      host.actions(() => controller(host, { contributions, plugins, statistics, recentLog }));
      host.services.registerInstance<AnswerStore>(ANSWER_STORE, answers);
      host.component('kept answers', () => answers);
      host.component('statistics', () => statistics, 'background');
      host.component('schedules', () => schedulesOf(contributions), 'background');
    },
  };
}

function keepAnswers({ settings, services, log }: ModuleHost): StoredAnswers {
  return new StoredAnswers(
    services.resolve(RECORD_PLACE),
    services.resolve(NODE_LINK),
    services.resolve(CLOCK),
    log,
    settings.section<{ readonly maxBytes: number }>('idempotency').maxBytes,
  );
}

function collectStatistics({ settings, services, log }: ModuleHost, { hooks }: Contributions): StatisticsCollector {
  const { intervalMs, retentionMs } = settings.section<StatisticsOptions>('statistics');
  const clock = services.resolve(CLOCK);
  const frames = new FrameStore(services.resolve(RECORD_PLACE), clock, log, retentionMs, randomUUID());
  const statistics = new StatisticsCollector(clock, intervalMs, frames);
  statistics.observe(hooks);
  if (services.resolve(NODE_LINK).isClustered) statistics.share();
  return statistics;
}

/** Schedules start after all components, and are asked to end as soon as the server begins to stop. */
function schedulesOf({ schedules, hooks }: Contributions): Lifecycle {
  if (schedules.length > 0) {
    hooks.add('server.started', 'schedules', () => schedules.forEach((each) => each.start()));
    hooks.add('server.stopping', 'schedules', () => schedules.forEach((each) => each.end()));
  }
  return {
    start: async () => undefined,
    stop: async () => void (await Promise.all(schedules.map((each) => each.stop()))),
  };
}

interface ControllerParts {
  readonly contributions: Contributions;
  readonly plugins: readonly Plugin[];
  readonly statistics: StatisticsCollector;
  readonly recentLog: RecentLog | undefined;
}

function controller(
  { settings: config, services }: ModuleHost,
  { contributions, plugins, statistics, recentLog }: ControllerParts,
): readonly ActionDefinition[] {
  const { actions, hooks, protocols } = contributions;
  for (const { name, httpStreams } of protocols) {
    if (httpStreams !== undefined) statistics.countAsHttp(name);
  }
  const { name: serviceName, publicInfo: isPublic } = config.section<ServerConfig>('server');
  const [storage, memoryStore] = [services.resolve(STORAGE_ENGINE), services.resolve(MEMORY_STORE_ENGINE)];
  const security = services.resolve(SECURITY);
  const clock = services.resolve(CLOCK);
  const startedAtMs = clock.monotonicMs();
  const metrics = new Metrics(clock, statistics, services.resolve(SCHEDULER), startedAtMs);
  metrics.observe(hooks);
  metrics.watchLog(services.resolve(CHANGE_LOG));
  metrics.watchFollows(() => services.resolve(FOLLOW_STATISTICS));
  const backups = services.resolve(BACKUPS);
  metrics.watchBackups(() => backups.ageSeconds);
  const about = { serviceName, version: VERSION, actions };
  return serverActions({
    clock,
    config,
    security,
    statistics,
    recentLog,
    metrics,
    health: new HealthCheck(
      storage,
      memoryStore,
      services.resolve(NODE_LINK),
      warningsOf(services),
      () => backups.ageSeconds,
    ),
    information: new ServerInformation({
      ...about,
      plugins,
      files: contributions.files.map(({ files }) => files),
      storage,
      memoryStore,
      security,
      clock,
      startedAtMs,
      isPublic,
    }),
    descriptions: new ApiDescriptions({ ...about, protocols: lastingProtocols(protocols, config) }),
  });
}

/** Problems for the operator while all services work. */
function warningsOf(services: ModuleHost['services']): () => readonly string[] {
  const network = services.resolve(NETWORK_GUARD);
  const clients = services.isRegistered(ClientAddresses) ? services.resolve(ClientAddresses) : undefined;
  const backups = services.resolve(BACKUPS);
  return () =>
    [network.warning, clients?.warning, backups.warning].filter((each): each is string => typeof each === 'string');
}

/** Protocols that can send notifications, with their ports if the configuration has one under their names. */
function lastingProtocols(protocols: readonly Protocol[], config: Config): readonly DescribedProtocol[] {
  const { name: serviceName } = config.section<ServerConfig>('server');
  return (
    protocols
      // Streams over HTTP are in the OpenAPI document.
      .filter(({ notifier, httpStreams }) => notifier !== undefined && httpStreams === undefined)
      .map((protocol) => {
        const { name } = protocol;
        const section = Object.hasOwn(config.values, name) ? config.values[name] : undefined;
        const port = isJsonObject(section) ? section['port'] : undefined;
        const channels = protocol.describeChannels?.(serviceName) ?? unknownChannels(name);
        return { name, port: typeof port === 'number' ? port : null, channels };
      })
  );
}

/** For a protocol without a description. */
function unknownChannels(name: string): ProtocolChannels {
  const all = { key: name, address: null, summary: `Messages of the protocol ${name}.` };
  return { scheme: name, requests: all, responses: all, notifications: all };
}
