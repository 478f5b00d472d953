import type { Library } from '../plugins/Library.js';
import type { ModuleHost } from './ModuleHost.js';

/**
 * A part of the server: a service, an engine, an entrypoint. The server sets up its modules one after the other,
 * collects their registrations, and starts them. A plugin is a module that a user adds; it gets the smaller
 * `PluginHost`.
 */
export interface Module {
  /** Unique within a server: `storage`. */
  readonly name: string;
  /** Configuration keys: a convict schema by section. */
  readonly config?: Readonly<Record<string, object>>;
  /** The packages that it imports at their first use. */
  readonly libraries?: readonly Library[];
  /** Registers the parts of the module. Called once, before anything starts; it must not open anything. */
  setup(host: ModuleHost): void | Promise<void>;
}
