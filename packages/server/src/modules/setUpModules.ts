import { coreErrors, isError, withDeadline, type Config, type JsonObject, type Module } from '@millrace/kernel';
import { isPlugin, ServerModuleHost, type ModuleHostParts } from './ServerModuleHost.js';

/**
 * Runs the setup of each module, in order.
 * @param limitMs time limit of each setup
 * @throws core.plugin_refused naming the plugin whose setup failed or timed out; core.invalid_config
 */
export async function setUpModules(modules: readonly Module[], parts: ModuleHostParts, limitMs: number): Promise<void> {
  for (const module of modules) {
    const host = new ServerModuleHost(module, ownConfig(module, parts.config), parts);
    try {
      await withDeadline(
        Promise.resolve().then(() => module.setup(host)),
        limitMs,
        () => new Error(`its setup took longer than ${limitMs} ms`),
      );
    } catch (error) {
      const { plugin_refused: refused } = coreErrors;
      const isRefusal = isError(error, refused);
      if (isRefusal || !isPlugin(module)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw refused({ plugin: module.name, reason }, { cause: error });
    }
  }
}

function ownConfig(module: Module, config: Config): JsonObject {
  const sections = Object.keys(module.config ?? {}).map((name) => [name, config.values[name]]);
  return Object.freeze(Object.fromEntries(sections)) as JsonObject;
}
