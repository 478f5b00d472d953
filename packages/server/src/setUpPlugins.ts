import type { DependencyContainer } from 'tsyringe';
import {
  coreErrors,
  MillraceError,
  withDeadline,
  type Config,
  type JsonObject,
  type Logger,
  type Plugin,
} from '@millrace/kernel';
import type { PluginContributions } from './PluginContributions.js';
import { ServerPluginHost, type Execute } from './ServerPluginHost.js';

/** What plugins are set up with. */
export interface PluginSetup {
  readonly config: Config;
  readonly contributions: PluginContributions;
  readonly container: DependencyContainer;
  readonly execute: Execute;
  readonly log: Logger;
  /** Time limit of each setup. */
  readonly limitMs: number;
}

/**
 * Lets each plugin register what it brings, in order.
 * @throws core.plugin_refused naming the plugin whose setup failed or took too long
 */
export async function setUpPlugins(plugins: readonly Plugin[], setup: PluginSetup): Promise<void> {
  for (const plugin of plugins) {
    const host = new ServerPluginHost(plugin, ownConfig(plugin, setup.config), setup);
    try {
      await withDeadline(
        Promise.resolve().then(() => plugin.setup(host)),
        setup.limitMs,
        () => new Error(`its setup took longer than ${setup.limitMs} ms`),
      );
    } catch (error) {
      if (error instanceof MillraceError && error.id === coreErrors.plugin_refused.id) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw coreErrors.plugin_refused({ plugin: plugin.name, reason }, { cause: error });
    }
  }
}

function ownConfig(plugin: Plugin, config: Config): JsonObject {
  const sections = Object.keys(plugin.config ?? {}).map((name) => [name, config.values[name]]);
  return Object.freeze(Object.fromEntries(sections)) as JsonObject;
}
