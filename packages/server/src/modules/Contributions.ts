import type {
  ActionDefinition,
  ActionTable,
  AuthStrategy,
  Hooks,
  Lifecycle,
  Pipes,
  Protocol,
  StaticFiles,
  Stage,
  WritePipes,
} from '@millrace/kernel';
import type { Schedule } from '../schedules/Schedule.js';

/** Actions of a server module, created once all modules have been set up. */
export interface ActionSource {
  readonly module: string;
  readonly create: () => readonly ActionDefinition[];
}

/** A component to start and stop. */
export interface ComponentSource {
  /** For the log. */
  readonly name: string;
  readonly stage: Stage;
  readonly create: () => Lifecycle;
}

/** Files that a plugin serves. */
export interface PluginFiles {
  readonly plugin: string;
  readonly files: StaticFiles;
}

/** The registrations of modules and plugins, by extension point. */
export interface Contributions {
  /** First the actions of plugins; those of the server's modules are added from `actionSources`. */
  readonly actions: ActionTable;
  readonly actionSources: ActionSource[];
  readonly components: ComponentSource[];
  readonly hooks: Hooks;
  readonly pipes: Pipes;
  readonly writePipes: WritePipes;
  readonly protocols: Protocol[];
  readonly files: PluginFiles[];
  readonly strategies: Map<string, AuthStrategy>;
  /** By kind and name: `storage:sqlite`. */
  readonly engines: Map<string, () => Lifecycle | Promise<Lifecycle>>;
  readonly schedules: Schedule[];
  /** The owner of each protocol, strategy, engine and schedule, keyed by its name in messages: `strategy "local"`. */
  readonly owners: Map<string, string>;
}
