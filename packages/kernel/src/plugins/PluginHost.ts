import type { InjectionToken } from 'tsyringe';
import type { ActionDefinition } from '../actions/ActionDefinition.js';
import type { Protocol } from '../contracts/protocol/Protocol.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import type { Tickets } from '../contracts/runtime/Tickets.js';
import type { AuthStrategy } from '../contracts/security/AuthStrategy.js';
import type { User } from '../contracts/security/User.js';
import type { EventName } from '../events/EventMap.js';
import type { Hook } from '../events/Hooks.js';
import type { Lifecycle } from '../lifecycle/Lifecycle.js';
import type { Pipe } from '../pipeline/Pipes.js';
import type { RequestFields } from '../request/createRequest.js';
import type { ResponseMessage } from '../request/Response.js';
import type { PluginConfig } from './Plugin.js';
import type { PluginStore } from './PluginStore.js';
import type { ScheduledFunction, ScheduleTime } from './Schedule.js';

/** Which engines a plugin can bring. */
export type EngineKind = 'storage' | 'memoryStore';

/** What a plugin sees of the server. */
export interface PluginHost<C = PluginConfig> {
  /** Frozen values of the sections that the plugin declared in `config`. */
  readonly config: C;
  /** Lines carry the plugin's name. */
  readonly log: Logger;
  /** Adds an entrypoint. */
  protocol(protocol: Protocol): void;
  /** Adds a way to log in. @throws core.plugin_refused for a name that is taken */
  strategy(strategy: AuthStrategy): void;
  /** Adds actions, with routes, rights and documentation like those of the core. */
  controller(actions: readonly ActionDefinition[]): void;
  /** Sees events; can't change or delay them. */
  hook<E extends EventName>(event: E, run: Hook<E>): void;
  /** Changes or refuses requests, or changes results. */
  pipe(pipe: Pipe): void;
  /** Adds an engine that configuration can choose by `name` (`storage.engine`). It is created only when chosen. */
  engine(kind: EngineKind, name: string, create: () => Lifecycle | Promise<Lifecycle>): void;
  /** Registers an implementation for an injection token, in place of the server's own; started and stopped with it. */
  service<T extends object>(token: InjectionToken<T>, service: T): void;
  /**
   * Tickets for small values that travel with the client, such as logins that continue at a provider; in a cluster every
   * node can open them. In `setup` alone.
   * @param name unique within the plugin: lower-case letters, the same on every node
   */
  tickets(name: string): Tickets;
  /**
   * A private storage area, which no request reaches.
   * @param name unique within the plugin: lower-case letters, digits and `-`
   */
  store(name: string): PluginStore;
  /**
   * Runs a function at its times, on one node of a cluster at a time, from `server.started` until the stop. In `setup` alone.
   * @param name unique within the plugin, the same on every node: lower-case letters, digits and `-`
   * @throws core.plugin_refused for a time that can't be read
   */
  schedule(name: string, time: ScheduleTime, run: ScheduledFunction): void;
  /** Runs a request as a program would; never rejects. `user` defaults to the anonymous one. */
  execute(fields: RequestFields, options?: { readonly user?: User }): Promise<ResponseMessage>;
  /** Runs when the server stops, after the entrypoints have closed, last registered first. */
  onStop(stop: () => void | Promise<void>): void;
}
