import { inspectConfig } from '@millrace/kernel';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../createLogger.js';
import { loadFunctions } from '../functions/loadFunctions.js';
import { prepareConfig } from '../prepareConfig.js';
import { shippedPlugins } from '../shippedPlugins.js';

/**
 * Loads server functions and registers them with a server that isn't started.
 * @returns why they are refused, in one line; undefined if they are not
 */
export async function checkFunctions(folder: string): Promise<string | undefined> {
  try {
    const own = [...shippedPlugins(), await loadFunctions(folder)];
    const { plugins, schema, sources } = prepareConfig({ plugins: own });
    const { config } = inspectConfig(schema, sources);
    await composeServer(config, plugins, createLogger({ level: 'silent', format: 'json' }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
