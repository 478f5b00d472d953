import { getHeapStatistics } from 'node:v8';
import {
  container as rootContainer,
  instanceCachingFactory,
  type DependencyContainer,
  type InjectionToken,
} from 'tsyringe';
import {
  ACTIONS,
  ActionTable,
  ANSWER_STORE,
  ByteBudget,
  CLOCK,
  CONFIG,
  Dispatcher,
  HOOKS,
  Hooks,
  IdempotentRequests,
  LOGGER,
  NODE_LINK,
  NOTIFIERS,
  PIPES,
  Pipes,
  RATE_LIMITS,
  registerInternalIndex,
  RequestScheduler,
  SECURITY,
  SENT_CURSORS,
  STAGES,
  STORAGE_ENGINE,
  STRATEGIES,
  systemClock,
  WRITE_OBSERVERS,
  WritePipes,
  type Config,
  type HttpMiddleware,
  type Logger,
  type Notifier,
  type Plugin,
  type Protocol,
} from '@millrace/kernel';
import { AssembledServer, type ServerParts } from './AssembledServer.js';
import { createNetworkGuard } from './createNetworkGuard.js';
import { guardNotifier } from './guardNotifier.js';
import { internalIndexOf, type ServerConfig } from './config.js';
import type { RecentLog } from './logging/RecentLog.js';
import { assertDistinctPorts, assertNotExposed } from './modules/assertEntrypoints.js';
import { addOwnActions, addStreamRoutes, assertNoClash } from './modules/assertNoClash.js';
import { chosenEngines } from './modules/chosenEngines.js';
import type { Contributions } from './modules/Contributions.js';
import { BASE_MODULES, SERVICE_MODULES } from './modules/OWN_MODULES.js';
import { serverModule, NETWORK_GUARD, SCHEDULER } from './modules/serverModule.js';
import { setUpModules } from './modules/setUpModules.js';
import { PROGRAM_SUBSCRIPTION, ProgramSubscriptions } from './ProgramSubscriptions.js';
import { ServerReadiness } from './ServerReadiness.js';

/** Concurrent password hashes and logins: waiting behind them must take less than a second. */
const MAX_HASHING_REQUESTS = 16;
/** Enough for one import of 64 MiB from an address, with room for other clients. */
const MAX_DEFAULT_BYTES_IN_FLIGHT = 268_435_456;
/** Concurrent searches of an engine that doesn't report its concurrency. */
const MAX_SEARCHES = 64;

interface ContainerParts {
  readonly config: Config;
  readonly log: Logger;
  readonly internalIndex: string;
  readonly contributions: Contributions;
  readonly budget: ByteBudget;
  readonly subscriptions: ProgramSubscriptions;
}

interface ComposeOptions {
  readonly isOffline?: boolean;
  readonly middleware?: readonly HttpMiddleware[];
  readonly recentLog?: RecentLog | undefined;
}

/**
 * Composes a server from its modules, without opening anything.
 * @param options.isOffline without entrypoints
 * @param options.recentLog the newest lines of `log`; absent where the program that embeds the server writes it
 */
export async function composeServer(
  config: Config,
  plugins: readonly Plugin[],
  log: Logger,
  { isOffline = false, middleware = [], recentLog }: ComposeOptions = {},
): Promise<AssembledServer> {
  const server = config.section<ServerConfig>('server');
  const internalIndex = internalIndexOf(server);
  const contributions = noContributions(server, log);
  const { actions, hooks, pipes, protocols } = contributions;
  const budget = new ByteBudget(maxBytesInFlight(server));
  const subscriptions = new ProgramSubscriptions(hooks, log);
  const container = createContainer({
    config,
    log,
    internalIndex,
    contributions,
    budget,
    subscriptions,
  });

  // Plugins receive `execute` before the server exists.
  const later: { server?: AssembledServer } = {};
  const execute: AssembledServer['execute'] = async (fields, options) => {
    if (later.server === undefined) throw new Error('The server is still being put together');
    return later.server.execute(fields, options);
  };
  const modules = [
    ...BASE_MODULES,
    ...plugins,
    chosenEngines(contributions),
    ...SERVICE_MODULES,
    serverModule(contributions, plugins, recentLog),
  ];
  const setup = { config, contributions, container, execute, log };
  await setUpModules(modules, setup, server.startTimeoutMs);

  for (const { module, create } of contributions.actionSources) {
    addOwnActions(actions, module, create());
  }
  addStreamRoutes(actions, protocols);
  assertNoClash(actions, pipes, contributions.files);
  assertDistinctPorts(config, protocols);

  const security = container.resolve(SECURITY);
  const dispatcher = new Dispatcher({
    actions,
    security,
    pipes,
    hooks,
    scheduler: container.resolve(SCHEDULER),
    idempotent: new IdempotentRequests(container.resolve(ANSWER_STORE), security, log),
    ...(container.isRegistered(RATE_LIMITS) && { limits: container.resolve(RATE_LIMITS) }),
    log,
    internalIndex,
    exposeStack: server.exposeStack,
  });
  const network = container.resolve(NETWORK_GUARD);
  later.server = new AssembledServer({
    config: server,
    parts: componentsOf(contributions),
    protocols: isOffline ? [] : protocols,
    middleware,
    files: contributions.files.map(({ files }) => files),
    hooks,
    actions,
    dispatcher,
    budget,
    log,
    container,
    nodes: container.resolve(NODE_LINK),
    sentCursors: container.resolve(SENT_CURSORS),
    network,
    subscriptions,
    readiness: new ServerReadiness({
      storage: container.resolve(STORAGE_ENGINE),
      link: container.resolve(NODE_LINK),
    }),
    beforeListening: () => assertNotExposed(config, protocols, () => network.isOpen()),
  });
  return later.server;
}

function noContributions(server: ServerConfig, log: Logger): Contributions {
  const hooks = new Hooks(log, server.pluginTimeoutMs);
  return {
    actions: new ActionTable(),
    actionSources: [],
    components: [],
    hooks,
    pipes: new Pipes(server.pluginTimeoutMs),
    writePipes: new WritePipes(hooks, log, server.pluginTimeoutMs),
    protocols: [],
    files: [],
    strategies: new Map(),
    engines: new Map(),
    schedules: [],
    owners: new Map(),
  };
}

/**
 * The container shared by all modules. A service that depends on modules set up later is created when it is first
 * resolved.
 */
function createContainer(parts: ContainerParts): DependencyContainer {
  const { config, log, internalIndex, contributions, budget, subscriptions } = parts;
  const container = rootContainer.createChildContainer();
  container.registerInstance(CONFIG, config);
  container.registerInstance(LOGGER, log);
  container.registerInstance(CLOCK, systemClock);
  registerInternalIndex(container, internalIndex);
  container.registerInstance(ACTIONS, contributions.actions);
  container.registerInstance(HOOKS, contributions.hooks);
  container.registerInstance(PIPES, contributions.pipes);
  container.registerInstance(WRITE_OBSERVERS, contributions.writePipes);
  container.registerInstance(STRATEGIES, contributions.strategies);
  const lazily = <T>(token: InjectionToken<T>, create: () => T) =>
    container.register(token, { useFactory: instanceCachingFactory(create) });
  lazily(NOTIFIERS, () => notifiersOf(contributions.protocols, subscriptions, log));
  lazily(NETWORK_GUARD, () => createNetworkGuard(config, container.resolve(SECURITY), log));
  lazily(SCHEDULER, () => {
    const engine = container.resolve(STORAGE_ENGINE);
    const maxSearches = () => engine.maxSearches ?? MAX_SEARCHES;
    const scheduler = createScheduler(config.section<ServerConfig>('server'), budget, maxSearches);
    engine.watchMaxSearches?.(() => scheduler.admitSearches());
    return scheduler;
  });
  return container;
}

function createScheduler(server: ServerConfig, budget: ByteBudget, maxSearches: () => number): RequestScheduler {
  const limits = {
    ordinary: server.maxRunningRequests,
    search: maxSearches,
    hashing: MAX_HASHING_REQUESTS,
    maxWaiting: server.maxWaitingRequests,
  };
  return new RequestScheduler(limits, budget);
}

function notifiersOf(
  protocols: readonly Protocol[],
  subscriptions: ProgramSubscriptions,
  log: Logger,
): Map<string, Notifier> {
  const notifiers = new Map<string, Notifier>();
  for (const { name, notifier } of protocols) {
    if (notifier !== undefined) notifiers.set(name, guardNotifier(name, notifier, log));
  }
  return notifiers.set(PROGRAM_SUBSCRIPTION, subscriptions);
}

/** In start order. */
function componentsOf({ components }: Contributions): ServerParts['parts'] {
  return STAGES.flatMap((stage) =>
    components.filter((each) => each.stage === stage).map(({ name, create }) => ({ name, part: create() })),
  );
}

/** By default at most an eighth of the heap: requests also allocate memory that isn't counted. */
function maxBytesInFlight({ maxBytesInFlight: configured }: ServerConfig): number {
  if (configured > 0) return configured;
  return Math.min(MAX_DEFAULT_BYTES_IN_FLIGHT, getHeapStatistics().heap_size_limit / 8);
}
