import type { DependencyContainer } from 'tsyringe';
import {
  createRequest,
  LifecycleRunner,
  OpenSecurity,
  SECURITY,
  type ActionTable,
  type Dispatcher,
  type Hooks,
  type Logger,
  type Protocol,
  type ProtocolAddress,
  type ProtocolHost,
  type RequestFields,
  type ResponseMessage,
  type StorageEngine,
  type User,
} from '@millrace/kernel';
import { realtimeLifecycles } from '@millrace/realtime';
import { storageLifecycles } from '@millrace/storage';
import type { PluginContributions } from './PluginContributions.js';
import { programConnection } from './programConnection.js';
import type { ServerConfig } from './ServerConfig.js';
import type { StatisticsCollector } from './statistics/StatisticsCollector.js';

/** What a server is assembled from. */
export interface ServerParts {
  readonly config: ServerConfig;
  readonly storage: StorageEngine;
  readonly contributions: PluginContributions;
  readonly statistics: StatisticsCollector;
  readonly hooks: Hooks;
  readonly actions: ActionTable;
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly container: DependencyContainer;
}

/** A server put together: opens its parts in order, closes them in reverse order. */
export class AssembledServer {
  readonly actions: ActionTable;
  private readonly runner: LifecycleRunner;
  private readonly addresses: ProtocolAddress[] = [];

  constructor(private readonly parts: ServerParts) {
    const { config, storage, contributions, statistics, dispatcher, log, container } = parts;
    this.actions = parts.actions;
    this.runner = new LifecycleRunner(log, config.startTimeoutMs, config.stopTimeoutMs);
    this.runner.add('storage engine', storage);
    const own = [...storageLifecycles(container), ...realtimeLifecycles(container)];
    for (const { name, part } of own) this.runner.add(name, part);
    for (const { name, part } of contributions.services) this.runner.add(name, part);
    this.runner.add('statistics', statistics);
    this.runner.add('dispatcher', { start: async () => undefined, stop: () => dispatcher.drain() });
    for (const protocol of contributions.protocols) this.addProtocol(protocol);
  }

  /** Resolves with the addresses once every entrypoint listens. */
  async start(): Promise<readonly ProtocolAddress[]> {
    await this.runner.start();
    const { hooks, log, container } = this.parts;
    hooks.emit('server.started', {});
    if (container.resolve(SECURITY) instanceof OpenSecurity) {
      log.warn({}, 'no security service is installed: every request may do everything');
    }
    return this.addresses;
  }

  async stop(): Promise<void> {
    this.parts.hooks.emit('server.stopping', {});
    await this.runner.stop();
    this.parts.container.clearInstances();
  }

  /** Runs a request of the program; never rejects. */
  async execute(
    fields: RequestFields,
    options: { readonly user?: User },
  ): Promise<ResponseMessage> {
    const request = createRequest(fields, programConnection(options.user));
    return (await this.parts.dispatcher.dispatch(request)).message;
  }

  private addProtocol(protocol: Protocol): void {
    const { dispatcher, actions, hooks, log, config } = this.parts;
    const host: ProtocolHost = {
      log: log.child({ protocol: protocol.name }),
      actions,
      serviceName: config.name,
      createRequest,
      dispatch: (request) => dispatcher.dispatch(request),
      connectionOpened: (connection) => hooks.emit('connection.opened', { connection }),
      connectionClosed: (connection) => hooks.emit('connection.closed', { connection }),
    };
    this.runner.add(`protocol ${protocol.name}`, {
      start: async () => {
        const address = await protocol.start(host);
        this.addresses.push(address);
        log.info({ protocol: protocol.name, url: address.url }, 'listening');
      },
      stop: () => protocol.stop(),
    });
  }
}
