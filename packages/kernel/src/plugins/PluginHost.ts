import type { InjectionToken } from 'tsyringe';
import type { ActionDefinition } from '../contracts/actions/ActionDefinition.js';
import type { Protocol } from '../protocols/Protocol.js';
import type { StaticFiles } from '../protocols/StaticFiles.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { Tickets } from '../contracts/runtime/Tickets.js';
import type { AuthStrategy } from '../contracts/security/AuthStrategy.js';
import type { User } from '../contracts/security/User.js';
import type { EventName } from '../events/EventMap.js';
import type { Hook } from '../events/Hooks.js';
import type { Lifecycle } from '../contracts/runtime/Lifecycle.js';
import type { Pipe } from '../pipeline/Pipes.js';
import type { RequestFields } from '../contracts/request/FieldReader.js';
import type { ResponseMessage } from '../contracts/request/Response.js';
import type { PluginConfig } from './Plugin.js';
import type { PluginStore } from './PluginStore.js';
import type { ScheduledFunction, ScheduleTime } from './Schedule.js';

/** The kinds of engine that a plugin can provide. */
export type EngineKind = 'storage' | 'memoryStore';

/** The server's interface for a plugin. */
export interface PluginHost<C = PluginConfig> {
  /** Frozen values of the sections that the plugin declared in `config`. */
  readonly config: C;
  /** A logger whose lines carry the plugin's name. */
  readonly log: Logger;
  /** Adds an entrypoint. */
  protocol(protocol: Protocol): void;
  /** Adds a way to log in. @throws core.plugin_refused if the name is taken */
  strategy(strategy: AuthStrategy): void;
  /** Adds actions, with routes, permissions and documentation like those of the core. */
  controller(actions: readonly ActionDefinition[]): void;
  /** Adds a folder of files that the HTTP entrypoint serves. @throws core.plugin_refused if the path is taken */
  files(files: StaticFiles): void;
  /** Observes events; can't change or delay them. */
  hook<E extends EventName>(event: E, run: Hook<E>): void;
  /** Adds a pipe, which changes or refuses requests, or changes results. */
  pipe(pipe: Pipe): void;
  /** Adds an engine that the configuration can select by `name` (`storage.engine`). It is created only if selected. */
  engine(kind: EngineKind, name: string, create: () => Lifecycle | Promise<Lifecycle>): void;
  /**
   * Registers an implementation for an injection token that replaces the server's own; started and stopped with the
   * server.
   */
  service<T extends object>(token: InjectionToken<T>, service: T): void;
  /**
   * Tickets for small values that travel with the client, such as logins that continue at a provider; in a cluster
   * every node can open them. To be called in `setup` only.
   * @param name unique within the plugin: lower-case letters, the same on every node
   */
  tickets(name: string): Tickets;
  /**
   * A private storage area that requests can't access.
   * @param name unique within the plugin: lower-case letters, digits and `-`
   */
  store(name: string): PluginStore;
  /**
   * Runs a function on a schedule, on one node of a cluster at a time, from `server.started` until the stop. To be
   * called in `setup` only.
   * @param name unique within the plugin, the same on every node: lower-case letters, digits and `-`
   * @throws core.plugin_refused if the schedule can't be parsed
   */
  schedule(name: string, time: ScheduleTime, run: ScheduledFunction): void;
  /** Runs a request as an embedding program would; never rejects. `user` defaults to the anonymous one. */
  execute(fields: RequestFields, options?: { readonly user?: User }): Promise<ResponseMessage>;
  /** Runs when the server stops, after the entrypoints have closed, last registered first. */
  onStop(stop: () => void | Promise<void>): void;
}
