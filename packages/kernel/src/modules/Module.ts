import type { ModuleHost } from './ModuleHost.js';

/**
 * A part of the server: a service, an engine, an entrypoint. The server sets its modules up one after the other, collects
 * what they register, and starts it. A plugin is a module that its user adds; it gets the smaller `PluginHost`.
 */
export interface Module {
  /** Unique within a server: `storage`. */
  readonly name: string;
  /** Configuration keys: a convict schema by section. */
  readonly config?: Readonly<Record<string, object>>;
  /** Registers what the module brings. Called once, before anything starts; it must not open anything. */
  setup(host: ModuleHost): void | Promise<void>;
}
