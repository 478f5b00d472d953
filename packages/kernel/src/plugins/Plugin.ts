import { COPY_MARK } from '../copies/copyOf.js';
import { KERNEL_COPY } from '../copies/KERNEL_COPY.js';
import type { JsonObject } from '../json/Json.js';
import type { PluginHost } from './PluginHost.js';

/** What a plugin package hands to the kernel; made by `definePlugin`. */
export interface Plugin {
  /** Unique within a server: `auth-local`, `@scope/name`. */
  readonly name: string;
  /** Semver range of kernel versions it works with, such as `^1.0.0`. */
  readonly kernel: string;
  /** Names of plugins that must be set up before it. */
  readonly requires?: readonly string[];
  /**
   * Configuration keys it adds: a convict schema by section, such as `{ websocket: { port: { default: 7513, … } } }`.
   * The values come from file, environment and command line like any other.
   */
  readonly config?: Readonly<Record<string, object>>;
  /**
   * Registers what the plugin brings. Called once, before anything starts; has a deadline. It must not open anything:
   * protocols, services and engines have a `start` of their own. A throw stops the start and names the plugin.
   */
  setup(host: PluginHost): void | Promise<void>;
}

/** Declares a plugin. A plugin package exports a function `(options) => definePlugin({ … })`. */
export function definePlugin(plugin: Plugin): Plugin {
  return Object.freeze({ ...plugin, [COPY_MARK]: KERNEL_COPY });
}

/** The values of a plugin's own configuration sections. */
export type PluginConfig = JsonObject;
