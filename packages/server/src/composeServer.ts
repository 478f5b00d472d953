import { randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { join } from 'node:path';
import { container as rootContainer, type DependencyContainer } from 'tsyringe';
import {
  ACTIONS,
  ActionTable,
  ByteBudget,
  CLOCK,
  CONFIG,
  coreErrors,
  Dispatcher,
  HOOKS,
  Hooks,
  INTERNAL_INDEX,
  isJsonObject,
  LOGGER,
  MEMORY_STORE_ENGINE,
  NODE_LINK,
  type NetworkGuard,
  NOTIFIERS,
  Pipes,
  RequestScheduler,
  SECRET_STORE,
  SECURITY,
  STORAGE_ENGINE,
  STRATEGIES,
  systemClock,
  WRITE_OBSERVERS,
  WritePipes,
  type Config,
  type EngineKind,
  type Lifecycle,
  type Logger,
  type MemoryStoreEngine,
  type NodeLink,
  type Notifier,
  type Plugin,
  type Protocol,
  type StorageEngine,
} from '@millrace/kernel';
import { httpProtocol, type HttpConfig } from '@millrace/entrypoint-http';
import {
  createEmbeddedEngine,
  memoryStoreActions,
  memoryStoreLifecycles,
  registerMemoryStore,
  type MemoryStoreConfig,
} from '@millrace/memory-store';
import type { RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import {
  realtimeActions,
  realtimeLifecycles,
  realtimeSharing,
  registerRealtime,
} from '@millrace/realtime';
import {
  ClientAddresses,
  registerSecurity,
  securityActions,
  securityLifecycles,
  securitySharing,
} from '@millrace/security';
import {
  registerStorage,
  storageActions,
  storageLifecycles,
  storageSharing,
} from '@millrace/storage';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { HealthCheck } from './actions/HealthCheck.js';
import { serverActions } from './actions/serverActions.js';
import { ServerInformation } from './actions/ServerInformation.js';
import { addOwnActions, assertNoClash } from './assertNoClash.js';
import { assertNotExposed } from './assertNotExposed.js';
import { AssembledServer } from './AssembledServer.js';
import { FileSecretStore } from './FileSecretStore.js';
import { guardNotifier } from './guardNotifier.js';
import { importElasticsearchEngine, importRedisEngine } from './engines/importEngines.js';
import { createNetworkGuard } from './createNetworkGuard.js';
import { createNodeLink } from './createNodeLink.js';
import { ApiDescriptions } from './description/ApiDescriptions.js';
import type { DescribedProtocol } from './description/Describable.js';
import type { PluginContributions } from './PluginContributions.js';
import { PROGRAM_SUBSCRIPTION, ProgramSubscriptions } from './ProgramSubscriptions.js';
import type { ServerConfig } from './ServerConfig.js';
import { setUpPlugins } from './setUpPlugins.js';
import { FrameStore } from './statistics/FrameStore.js';
import { Metrics } from './statistics/Metrics.js';
import { StatisticsCollector, type StatisticsOptions } from './statistics/StatisticsCollector.js';
import { VERSION } from './version.js';

/** Password hashes and logins at once: those in front of a caller whose turn comes must take under a second. */
const MAX_HASHING_REQUESTS = 16;
/** Enough for one import of 64 MiB from an address, and for others meanwhile. */
const MAX_DEFAULT_BYTES_IN_FLIGHT = 268_435_456;
/** Searches given to an engine that doesn't say how many it runs at once. */
const MAX_SEARCHES = 64;
const EMBEDDED_STORAGE = 'sqlite';
/** What a plugin can't bring again. */
const OWN_PARTS = [
  'protocol "http"',
  'storage engine "sqlite"',
  'storage engine "elasticsearch"',
  'memoryStore engine "embedded"',
  'memoryStore engine "redis"',
];

/** Puts a server together: the one place that knows every package. Opens nothing. */
export async function composeServer(
  config: Config,
  plugins: readonly Plugin[],
  log: Logger,
): Promise<AssembledServer> {
  const server = config.section<ServerConfig>('server');
  const internalIndex = server.internalIndex === '' ? `%${server.name}` : server.internalIndex;
  const budget = new ByteBudget(maxBytesInFlight(server));
  const contributions = ownContributions(config, server, log);
  const container = createContainer(config, log, internalIndex);
  container.registerInstance(ACTIONS, contributions.actions);
  container.registerInstance(HOOKS, contributions.hooks);
  container.registerInstance(WRITE_OBSERVERS, contributions.writePipes);
  container.registerInstance(STRATEGIES, contributions.strategies);
  const { link, part: linkPart } = await createNodeLink(config, systemClock, log);
  container.registerInstance(NODE_LINK, link);

  // Filled in below: plugins get `execute` before there is a server to run it.
  const later: { server?: AssembledServer } = {};
  await setUpPlugins(plugins, {
    config,
    contributions,
    container,
    log,
    limitMs: server.startTimeoutMs,
    execute: async (fields, options) => {
      if (later.server === undefined) throw new Error('The server is still being put together');
      return later.server.execute(fields, options);
    },
  });

  const storage = (await chooseEngine('storage', config, contributions)) as StorageEngine;
  const memoryStore = (await chooseEngine(
    'memoryStore',
    config,
    contributions,
  )) as MemoryStoreEngine;
  const scheduler = new RequestScheduler(
    {
      ordinary: server.maxRunningRequests,
      search: storage.maxSearches ?? MAX_SEARCHES,
      hashing: MAX_HASHING_REQUESTS,
      maxWaiting: server.maxWaitingRequests,
    },
    budget,
  );
  container.registerInstance(STORAGE_ENGINE, storage);
  container.registerInstance(MEMORY_STORE_ENGINE, memoryStore);
  // The embedded engine has its folder to itself; every other one may be shared by nodes that need the same secrets.
  if (config.section<{ engine: string }>('storage').engine === EMBEDDED_STORAGE) {
    const file = join(server.dataDir, 'signing-key.json');
    container.registerInstance(SECRET_STORE, new FileSecretStore(file, log));
  }
  const subscriptions = new ProgramSubscriptions(contributions.hooks, log);
  const notifiers = notifiersOf(contributions.protocols, log);
  container.registerInstance(NOTIFIERS, notifiers.set(PROGRAM_SUBSCRIPTION, subscriptions));
  // A plugin may bring a security service of its own.
  const isOwnSecurity = !container.isRegistered(SECURITY);
  if (isOwnSecurity) registerSecurity(container);
  registerRealtime(container);
  registerStorage(container);
  registerMemoryStore(container);
  const { intervalMs, retentionMs } = config.section<StatisticsOptions>('statistics');
  const frames = new FrameStore({
    engine: storage, internalIndex, clock: systemClock, log, retentionMs, nodeId: randomUUID(),
  }); // prettier-ignore
  const statistics = new StatisticsCollector(systemClock, intervalMs, frames);
  statistics.observe(contributions.hooks);
  if (link.isClustered) statistics.share();
  const { actions, hooks, pipes } = contributions;
  const security = container.resolve(SECURITY);
  const network = createNetworkGuard(config, security, log);
  const own = serverController({
    config,
    plugins,
    contributions,
    container,
    storage,
    memoryStore,
    statistics,
    scheduler,
    link,
    network,
  });
  addOwnActions(actions, 'security', isOwnSecurity ? securityActions(container) : []);
  addOwnActions(actions, 'storage', storageActions(container));
  addOwnActions(actions, 'realtime', realtimeActions(container));
  addOwnActions(actions, 'memory store', memoryStoreActions(container));
  addOwnActions(actions, 'server', own);
  assertNoClash(actions, pipes);
  if (link.isClustered) awaitNodes(pipes, link);

  const { exposeStack } = server;
  const dispatcher = new Dispatcher({
    actions, security, pipes, hooks, scheduler, log, internalIndex, exposeStack,
  }); // prettier-ignore
  const parts = [
    { name: 'storage engine', part: storage },
    ...sharing(container, linkPart, isOwnSecurity),
    ...(isOwnSecurity ? securityLifecycles(container) : []),
    ...storageLifecycles(container),
    ...realtimeLifecycles(container),
    { name: 'memory store engine', part: memoryStore },
    ...memoryStoreLifecycles(container),
    ...contributions.services,
    { name: 'statistics', part: statistics },
    { name: 'schedules', part: schedulesOf(contributions) },
  ];
  const { protocols } = contributions;
  later.server = new AssembledServer({
    config: server, parts, protocols, hooks, actions, dispatcher, budget, log, container, nodes: link, network, subscriptions,
    beforeListening: () => assertNotExposed({ config, protocols, isOpen: () => network.isOpen() }),
  }); // prettier-ignore
  return later.server;
}

/** Where nothing is configured, at most a quarter of the heap: what is counted is not all that a request makes. */
function maxBytesInFlight({ maxBytesInFlight: configured }: ServerConfig): number {
  if (configured > 0) return configured;
  return Math.min(MAX_DEFAULT_BYTES_IN_FLIGHT, getHeapStatistics().heap_size_limit / 8);
}

function ownContributions(config: Config, server: ServerConfig, log: Logger): PluginContributions {
  const sqlite = () => createSqliteEngine({ dataDir: server.dataDir, logger: log });
  const { elasticsearch: elasticsearchValues } = config.section<{
    readonly elasticsearch: ElasticsearchConfig;
  }>('storage');
  const elasticsearch = async () => {
    const { createElasticsearchEngine } = await importElasticsearchEngine();
    return createElasticsearchEngine({ config: elasticsearchValues, logger: log });
  };
  const memoryStore = config.section<
    MemoryStoreConfig & { readonly redis: RedisMemoryStoreConfig }
  >('memoryStore');
  const embedded = () =>
    createEmbeddedEngine({ dataDir: server.dataDir, config: memoryStore, logger: log });
  const redis = async () => {
    const { createRedisEngine } = await importRedisEngine();
    return createRedisEngine({ config: memoryStore.redis, logger: log });
  };
  const hooks = new Hooks(log, server.pluginTimeoutMs);
  return {
    actions: new ActionTable(),
    hooks,
    writePipes: new WritePipes(hooks, log, server.pluginTimeoutMs),
    pipes: new Pipes(server.pluginTimeoutMs),
    protocols: [httpProtocol(config.section<HttpConfig>('http'))],
    strategies: new Map(),
    engines: new Map<string, () => Lifecycle | Promise<Lifecycle>>([
      [`storage:${EMBEDDED_STORAGE}`, sqlite],
      ['storage:elasticsearch', elasticsearch],
      ['memoryStore:embedded', embedded],
      ['memoryStore:redis', redis],
    ]),
    owners: new Map(OWN_PARTS.map((what) => [what, 'the server'])),
    services: [],
    schedules: [],
  };
}

/** What goes between nodes: who takes it, and then the link that brings it. */
function sharing(container: DependencyContainer, link: Lifecycle | undefined, withSecurity: boolean) {
  if (link === undefined) return [];
  return [
    ...(withSecurity ? securitySharing(container) : []),
    ...storageSharing(container),
    ...realtimeSharing(container),
    { name: 'link to other nodes', part: link },
  ];
} // prettier-ignore

/** Other nodes know of a change to accounts, tokens and specifications before it is answered: the next request may reach any of them. */
function awaitNodes(pipes: Pipes, link: NodeLink): void {
  for (const actions of ['security.*', 'auth.*', 'collection.*']) {
    pipes.add('cluster', {
      when: 'after',
      actions,
      run: () => link.settled()?.then(() => undefined),
    });
  }
}

/** They begin once everything has started, and are asked to end as soon as the server begins to stop. */
function schedulesOf({ schedules, hooks }: PluginContributions): Lifecycle {
  if (schedules.length > 0) {
    hooks.add('server.started', 'schedules', () => schedules.forEach((each) => each.start()));
    hooks.add('server.stopping', 'schedules', () => schedules.forEach((each) => each.end()));
  }
  return {
    start: async () => undefined,
    stop: async () => void (await Promise.all(schedules.map((each) => each.stop()))),
  };
}

function createContainer(config: Config, log: Logger, internalIndex: string): DependencyContainer {
  const container = rootContainer.createChildContainer();
  container.registerInstance(CONFIG, config);
  container.registerInstance(LOGGER, log);
  container.registerInstance(CLOCK, systemClock);
  container.registerInstance(INTERNAL_INDEX, internalIndex);
  return container;
}

function notifiersOf(protocols: readonly Protocol[], log: Logger): Map<string, Notifier> {
  return new Map(
    protocols.flatMap(({ name, notifier }) =>
      notifier === undefined ? [] : [[name, guardNotifier(name, notifier, log)]],
    ),
  );
}

async function chooseEngine(
  kind: EngineKind,
  config: Config,
  { engines }: PluginContributions,
): Promise<Lifecycle> {
  const { engine } = config.section<{ engine: string }>(kind);
  const create = engines.get(`${kind}:${engine}`);
  if (create !== undefined) return create();
  const known = [...engines.keys()]
    .filter((key) => key.startsWith(`${kind}:`))
    .map((key) => JSON.stringify(key.slice(kind.length + 1)));
  throw coreErrors.invalid_config({
    problem: `Invalid configuration ${kind}.engine: expected ${known.join(' or ')}, got ${JSON.stringify(engine)}`,
  });
}

interface ControllerParts {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly contributions: PluginContributions;
  readonly container: DependencyContainer;
  readonly storage: StorageEngine;
  readonly memoryStore: MemoryStoreEngine;
  readonly statistics: StatisticsCollector;
  readonly scheduler: RequestScheduler;
  readonly network: NetworkGuard;
  readonly link: NodeLink;
}

function serverController(parts: ControllerParts): ReturnType<typeof serverActions> {
  const { config, plugins, contributions, container, storage, memoryStore, statistics, scheduler } =
    parts;
  const server = config.section<ServerConfig>('server');
  const security = container.resolve(SECURITY);
  const clock = container.resolve(CLOCK);
  const startedAtMs = clock.monotonicMs();
  const metrics = new Metrics(clock, statistics, scheduler, startedAtMs);
  metrics.observe(contributions.hooks);
  const information = new ServerInformation({
    serviceName: server.name,
    version: VERSION,
    actions: contributions.actions,
    plugins,
    storage,
    memoryStore,
    security,
    clock,
    startedAtMs,
    isPublic: server.publicInfo,
  });
  const { network } = parts;
  const clients = container.isRegistered(ClientAddresses)
    ? container.resolve(ClientAddresses)
    : undefined;
  const health = new HealthCheck(storage, memoryStore, parts.link, () =>
    [network.warning, clients?.warning].filter((each) => typeof each === 'string'),
  );
  const descriptions = new ApiDescriptions({
    actions: contributions.actions,
    serviceName: server.name,
    version: VERSION,
    protocols: lastingProtocols(contributions.protocols, config),
  });
  return serverActions({
    clock, config, security, statistics, metrics, health, information, descriptions,
  }); // prettier-ignore
}

/** Protocols that can carry notifications, with their ports where the configuration has one under their names. */
function lastingProtocols(
  protocols: readonly Protocol[],
  config: Config,
): readonly DescribedProtocol[] {
  return protocols
    .filter(({ notifier }) => notifier !== undefined)
    .map(({ name }) => {
      const section = Object.hasOwn(config.values, name) ? config.values[name] : undefined;
      const port = isJsonObject(section) ? section['port'] : undefined;
      return { name, port: typeof port === 'number' ? port : null };
    });
}
