import { COPY_MARK } from './copyOf.js';
import { KERNEL_COPY } from '../copies/KERNEL_COPY.js';
import type { ConfigValues } from '../config/ConfigValues.js';
import type { JsonObject } from '../json/Json.js';
import type { Library } from './Library.js';
import type { PluginHost } from './PluginHost.js';

/** A plugin as its package passes it to the kernel; made by `definePlugin`. */
export interface Plugin {
  /** Unique within a server: `auth-local`, `@scope/name`. */
  readonly name: string;
  /** Semver range of compatible kernel versions, such as `^1.0.0`. */
  readonly kernel: string;
  /** Names of plugins that must be set up before it. */
  readonly requires?: readonly string[];
  /**
   * Its configuration keys: a convict schema by section, such as `{ websocket: { port: { default: 7513, … } } }`. The
   * values come from file, environment and command line like any other.
   */
  readonly config?: Readonly<Record<string, object>>;
  /** The packages that it imports at their first use, so that `millrace doctor` checks them. */
  readonly libraries?: readonly Library[];
  /**
   * Registers the parts of the plugin. Called once, before anything starts; has a deadline. It must not open anything:
   * protocols, services and engines have their own `start`. A throw aborts the start of the server with an error that
   * names the plugin.
   */
  setup(host: PluginHost): void | Promise<void>;
}

/** Configuration sections as a plugin declares them: a convict schema by section. */
type Sections = Readonly<Record<string, object>>;

/**
 * Declares a plugin. A plugin package exports a function `(options) => definePlugin({ … })`. The type of `host.config`
 * is inferred from the schema in `config`.
 */
export function definePlugin<const C extends Sections>(
  plugin: Omit<Plugin, 'config' | 'setup'> & {
    readonly config?: C | undefined;
    setup(host: PluginHost<ConfigValues<C>>): void | Promise<void>;
  },
): Plugin {
  // The host of a plugin has exactly the sections that it declared.
  const untyped = plugin as unknown as Plugin;
  return Object.freeze({ ...untyped, [COPY_MARK]: KERNEL_COPY });
}

/** The values of a plugin's own configuration sections. */
export type PluginConfig = JsonObject;
