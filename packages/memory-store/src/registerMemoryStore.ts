import { CONFIG, HOOKS, MEMORY_STORE_ENGINE } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { createMemoryStore } from './assembleMemoryStore.js';
import { MEMORY_STORE_CONFIG, type MemoryStoreConfig } from './config.js';
import { MEMORY_STORE } from './MEMORY_STORE.js';

/**
 * Registers the memory store in a server's container. Needs `MEMORY_STORE_ENGINE`, `CONFIG` (or `MEMORY_STORE_CONFIG`)
 * and `HOOKS` there.
 */
export function registerMemoryStore(container: DependencyContainer): void {
  const config = container.isRegistered(MEMORY_STORE_CONFIG, true)
    ? container.resolve(MEMORY_STORE_CONFIG)
    : container.resolve(CONFIG).section<MemoryStoreConfig>('memoryStore');
  const engine = container.resolve(MEMORY_STORE_ENGINE);
  const store = createMemoryStore({ engine, config, hooks: container.resolve(HOOKS) });
  container.registerInstance(MEMORY_STORE, store);
}
