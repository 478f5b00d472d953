import type {
  ActionTable,
  AuthStrategy,
  Hooks,
  Lifecycle,
  Pipes,
  Protocol,
  WritePipes,
} from '@millrace/kernel';
import type { Schedule } from './schedules/Schedule.js';

/** What plugins have registered, by extension point. */
export interface PluginContributions {
  readonly actions: ActionTable;
  readonly hooks: Hooks;
  readonly pipes: Pipes;
  readonly writePipes: WritePipes;
  readonly protocols: Protocol[];
  readonly strategies: Map<string, AuthStrategy>;
  /** By kind and name: `storage:sqlite`. */
  readonly engines: Map<string, () => Lifecycle | Promise<Lifecycle>>;
  readonly schedules: Schedule[];
  /** Who brought a protocol, strategy or engine, by what messages call it: `strategy "local"`. */
  readonly owners: Map<string, string>;
  /** Started after the engines, in order of registration. */
  readonly services: { readonly name: string; readonly part: Lifecycle }[];
}
