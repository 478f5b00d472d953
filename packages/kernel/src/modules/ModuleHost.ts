import type { DependencyContainer } from 'tsyringe';
import type { ActionDefinition } from '../contracts/actions/ActionDefinition.js';
import type { Config } from '../config/Config.js';
import type { Lifecycle } from '../contracts/runtime/Lifecycle.js';
import type { PluginHost } from '../plugins/PluginHost.js';
import type { Stage } from './STAGES.js';

/** The registration interface for modules of the server. */
export interface ModuleHost extends PluginHost {
  /** The configuration of the whole server. */
  readonly settings: Config;
  /**
   * The services that modules share, by token. A module keeps its own classes in a child container and registers here
   * only those that other modules resolve.
   */
  readonly services: DependencyContainer;
  /** Adds actions. `create` runs after the setup of all modules, so that it can resolve any service. */
  actions(create: () => readonly ActionDefinition[]): void;
  /**
   * Adds a component to start and stop. `create` runs after the setup of all modules.
   * @param name for the log
   * @param stage when it starts; default `service`
   */
  component(name: string, create: () => Lifecycle, stage?: Stage): void;
}
