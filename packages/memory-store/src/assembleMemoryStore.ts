import type { ActionDefinition, Hooks, Lifecycle, MemoryStoreEngine } from '@millrace/kernel';
import type { MemoryStoreConfig } from './config.js';
import { actionsOf } from './memoryStoreActions.js';
import { MemoryStore } from './service/MemoryStore.js';
import { TRANSACTION_ACTIONS } from './service/transactionActions.js';

const NAME = 'memory store';
const CONTROLLERS: readonly string[] = ['ms', 'memoryStorage'];

/** The dependencies of a memory store. */
export interface MemoryStoreParts {
  readonly engine: MemoryStoreEngine;
  readonly config: MemoryStoreConfig;
  readonly hooks: Hooks;
}

/**
 * Assembles a memory store without a container: its actions, and the component to start after its engine and stop
 * before it. Opens nothing.
 */
export function assembleMemoryStore(parts: MemoryStoreParts): {
  readonly store: Lifecycle;
  readonly actions: readonly ActionDefinition[];
} {
  const store = createMemoryStore(parts);
  return { store, actions: actionsOf(store) };
}

/** Creates the service: transactions and waits end with their connection, and a refused action aborts a transaction. */
export function createMemoryStore({ engine, config, hooks }: MemoryStoreParts): MemoryStore {
  const store = new MemoryStore(engine, config);
  hooks.add('connection.closed', NAME, ({ connection }) => store.forget(connection.id));
  hooks.add('request.ended', NAME, ({ request, response }) => {
    const isRefused = response.message.status >= 400 && CONTROLLERS.includes(request.controller);
    if (isRefused && !TRANSACTION_ACTIONS.includes(request.action)) store.transactions.abort(request.connection.id);
  });
  return store;
}
