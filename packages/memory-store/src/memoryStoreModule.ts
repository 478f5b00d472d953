import { ACTIONS, HOOKS, MEMORY_STORE_ENGINE, type Module } from '@millrace/kernel';
import { REDIS_COMMAND_NAMES } from './commands/REDIS_COMMAND_NAMES.js';
import { createMemoryStore } from './assembleMemoryStore.js';
import { memoryStoreConfig, type MemoryStoreConfig } from './config.js';
import { actionsOf } from './memoryStoreActions.js';

/** The memory store, on the engine selected by the configuration. */
export const memoryStoreModule: Module = {
  name: 'memory store',
  config: { memoryStore: memoryStoreConfig },
  setup(host) {
    const store = createMemoryStore({
      engine: host.services.resolve(MEMORY_STORE_ENGINE),
      config: host.settings.section<MemoryStoreConfig>('memoryStore'),
      hooks: host.services.resolve(HOOKS),
    });
    host.actions(() => actionsOf(store));
    const actions = host.services.resolve(ACTIONS);
    actions.alias('ms', ['memoryStorage']);
    for (const name of REDIS_COMMAND_NAMES) actions.reserve(`/ms/_${name}`);
    host.component('memory store', () => store);
  },
};
