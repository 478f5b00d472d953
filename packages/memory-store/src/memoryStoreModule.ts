import { ACTIONS, HOOKS, MEMORY_STORE_ENGINE, type Module } from '@millrace/kernel';
import { COMMANDS } from './commands/COMMANDS.js';
import { createMemoryStore } from './assembleMemoryStore.js';
import { memoryStoreConfig, type MemoryStoreConfig } from './config.js';
import { actionsOf } from './memoryStoreActions.js';
import { TRANSACTION_ACTIONS } from './service/transactionActions.js';

/** The commands of Redis 7.0 that are not offered (MEM-31). */
const EXCLUDED_COMMANDS: readonly string[] = `
  acl asking auth client cluster command config debug echo eval eval_ro evalsha evalsha_ro failover fcall fcall_ro
  flushall function hello hscan latency lolwut memory migrate module monitor move pfdebug pfselftest psubscribe
  psync pubsub punsubscribe quit readonly readwrite replconf replicaof reset restore-asking role scan script
  select shutdown slaveof slowlog spublish sscan ssubscribe subscribe sunsubscribe swapdb sync unsubscribe xack
  xautoclaim xclaim xgroup xinfo xpending xreadgroup xsetid zscan
`
  .trim()
  .split(/\s+/);

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
    const names = [...COMMANDS.map(({ name }) => name), ...TRANSACTION_ACTIONS, ...EXCLUDED_COMMANDS];
    for (const name of names) actions.reserve(`/ms/_${name}`);
    host.component('memory store', () => store);
  },
};
