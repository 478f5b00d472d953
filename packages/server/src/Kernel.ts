import { resolve } from 'node:path';
import {
  copyOf,
  KERNEL_COPY,
  loadConfig,
  type ActionFields,
  type ActionMessage,
  type ActionResponse,
  type ActionTable,
  type Config,
  type HttpMiddleware,
  type Logger,
  type Plugin,
  type ListeningAddress,
  type User,
} from '@millrace/kernel';
import type { AssembledServer } from './AssembledServer.js';
import { composeServer } from './composeServer.js';
import { createLogger, isTextLog, type LogConfig } from './logging/createLogger.js';
import { createMount, type Mount } from './createMount.js';
import { RecentLog } from './logging/RecentLog.js';
import type { NotificationListener, Subscription } from './ProgramSubscriptions.js';
import { prepareConfig, type KernelOptions } from './configuration/prepareConfig.js';
import type { ServerConfig } from './config.js';
import { VERSION } from './version.js';

/**
 * A Millrace server in this process. Several may run in one process: there is no global state, no signal handler, and
 * the process is never exited.
 */
export class Kernel {
  /** The configuration, validated by the constructor. */
  readonly config: Config;
  private readonly log: Logger;
  private readonly recentLog: RecentLog | undefined;
  private readonly isTextLog: boolean;
  private readonly plugins: readonly Plugin[];
  private readonly middleware: readonly HttpMiddleware[];
  private server: AssembledServer | undefined;
  private isOpen = false;
  private starting: Promise<readonly ListeningAddress[]> | undefined;

  /** @throws core.invalid_config, core.plugin_refused, each with a one-line message */
  constructor(options: KernelOptions = {}) {
    const { plugins, schema, sources } = prepareConfig(options);
    this.plugins = plugins;
    this.middleware = options.middleware ?? [];
    this.config = loadConfig(schema, sources);
    const log = this.config.section<LogConfig>('log');
    this.isTextLog = options.logger === undefined && isTextLog(log);
    this.recentLog = options.logger === undefined ? new RecentLog() : undefined;
    this.log = options.logger ?? createLogger(log, undefined, this.recentLog);
    for (const plugin of this.plugins) this.mentionCopy(plugin);
  }

  /** Resolves with the addresses once every entrypoint is listening; further calls return the same promise. */
  start(): Promise<readonly ListeningAddress[]> {
    this.starting ??= this.open();
    return this.starting;
  }

  /**
   * Executes a request of the program; never rejects.
   * @param fields typed by `ActionMap` if controller and action are literals; any fields if they are of type `string`
   * @param options.user acting user; default: the anonymous user
   */
  async execute<C extends string, A extends string>(
    fields: ActionMessage<C, A>,
    options: { readonly user?: User } = {},
  ): Promise<ActionResponse<C, A>> {
    return (await this.started.execute(fields, options)) as ActionResponse<C, A>;
  }

  /**
   * Calls a function with the changes of documents that match a filter, and with published messages that match it.
   * Filter, options and rights are those of `realtime.subscribe`, as the anonymous user or `options.user`. The
   * subscription ends with a notification `realtime.subscriptionEnded` when that right is revoked, and without one
   * when the kernel stops.
   * @param fields `index`, `collection`, the filter as `body` (absent: every document); `scope`, `state`, `users`
   * @throws MillraceError with `id` and `status` if the subscription is refused
   */
  async subscribe(
    fields: ActionFields<'realtime', 'subscribe'>,
    listener: NotificationListener,
    options: { readonly user?: User } = {},
  ): Promise<Subscription> {
    return this.started.subscribe({ ...fields }, listener, options);
  }

  /**
   * Serves HTTP, WebSocket and fallback below one path of another application's HTTP server, on the application's
   * port. Set `http.listen` (`websocket.listen`, `fallback.listen`) to false to open no port of the kernel's. May be
   * called before `start`, and several times for several paths.
   * @param path such as `/api`; empty for the whole server, or if the application strips the path itself
   */
  mount(path = ''): Mount {
    return createMount(path, () => (this.isOpen ? this.server?.protocols : undefined));
  }

  /** All actions of the started server: names, routes, arguments. */
  get actions(): ActionTable {
    return this.started.actions;
  }

  /** Stops accepting requests, answers those in progress, and stops all components in reverse order. */
  async stop(): Promise<void> {
    await this.starting?.catch(() => undefined);
    const { server } = this;
    this.isOpen = false;
    this.server = undefined;
    this.starting = undefined;
    if (server === undefined) return;
    await server.stop();
    this.announce('stopped');
  }

  /** The first and last log line: fields if a program reads the log, a sentence if a person does. */
  private announce(message: 'started' | 'stopped', more: object = {}): void {
    const engineOf = (section: string) => this.config.section<{ engine: string }>(section).engine;
    const { name, dataDir } = this.config.section<ServerConfig>('server');
    const [storage, memoryStore] = [engineOf('storage'), engineOf('memoryStore')];
    const folder = resolve(dataDir);
    if (this.isTextLog) {
      const engines = `storage ${storage}, memory store ${memoryStore}`;
      this.log.info({}, `Millrace ${VERSION} ${message}: ${engines}, data in ${folder}`);
      return;
    }
    const about = { service: name, version: VERSION, node: process.version, storage, memoryStore };
    this.log.info({ ...about, dataDir: folder, ...more }, message);
  }

  private get started(): AssembledServer {
    if (this.server !== undefined) return this.server;
    throw new Error('The kernel has not been started: call start() first');
  }

  /** Helps to find out which code runs: a linked plugin resolves a separate copy of the kernel. */
  private mentionCopy(plugin: Plugin): void {
    const copy = copyOf(plugin);
    if (copy === undefined || copy.path === KERNEL_COPY.path) return;
    const copies = { plugin: plugin.name, kernel: copy, serverKernel: KERNEL_COPY };
    this.log.info(copies, 'plugin uses another copy of @millrace/kernel');
  }

  private async open(): Promise<readonly ListeningAddress[]> {
    const server = await composeServer(this.config, this.plugins, this.log, {
      middleware: this.middleware,
      recentLog: this.recentLog,
    });
    this.server = server;
    try {
      const addresses = await server.start();
      this.isOpen = true;
      this.announce('started', { urls: addresses.map(({ url }) => url) });
      return addresses;
    } catch (error) {
      this.server = undefined;
      throw error;
    }
  }
}
