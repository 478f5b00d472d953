import { INTERNAL_INDEX, type Module } from '@millrace/kernel';
import { createEmbeddedEngine, type MemoryStoreConfig } from '@millrace/memory-store';
import type { RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { takeWriter } from '../command/ahead.js';
import type { BackupConfig } from '../backup/backupConfig.js';
import { elasticsearchConfig } from '../engines/elasticsearchConfig.js';
import { historyConfig, toHistory, type HistoryValues } from '../engines/historyConfig.js';
import { importElasticsearchEngine, importRedisEngine } from '../engines/importEngines.js';
import { redisMemoryStoreConfig } from '../engines/redisMemoryStoreConfig.js';
import type { ServerConfig } from '../configuration/ServerConfig.js';

const sqlite: Module = {
  name: 'storage-sqlite',
  config: { realtime: { history: historyConfig } },
  setup(host) {
    const { dataDir } = host.settings.section<ServerConfig>('server');
    const realtime = host.settings.section<{ readonly history: HistoryValues }>('realtime');
    const history = toHistory(realtime.history);
    const { continuous } = host.settings.section<BackupConfig>('backup');
    // A restore to any moment needs the changes of users and roles too.
    const internalIndex = continuous ? '' : host.services.resolve(INTERNAL_INDEX);
    host.engine('storage', 'sqlite', () =>
      createSqliteEngine({ dataDir, logger: host.log, history, internalIndex, takeWriter }),
    );
  },
};

const elasticsearch: Module = {
  name: 'storage-elasticsearch',
  config: { storage: { elasticsearch: elasticsearchConfig } },
  setup(host) {
    host.engine('storage', 'elasticsearch', async () => {
      const { createElasticsearchEngine } = await importElasticsearchEngine();
      const storage = host.settings.section<{ readonly elasticsearch: ElasticsearchConfig }>('storage');
      return createElasticsearchEngine({ config: storage.elasticsearch, logger: host.log });
    });
  },
};

const embedded: Module = {
  name: 'memory-store-embedded',
  setup(host) {
    const { dataDir } = host.settings.section<ServerConfig>('server');
    const config = host.settings.section<MemoryStoreConfig>('memoryStore');
    host.engine('memoryStore', 'embedded', () => createEmbeddedEngine({ dataDir, config, logger: host.log }));
  },
};

const redis: Module = {
  name: 'memory-store-redis',
  config: { memoryStore: { redis: redisMemoryStoreConfig } },
  setup(host) {
    host.engine('memoryStore', 'redis', async () => {
      const { createRedisEngine } = await importRedisEngine();
      const memoryStore = host.settings.section<{ readonly redis: RedisMemoryStoreConfig }>('memoryStore');
      return createRedisEngine({ config: memoryStore.redis, logger: host.log });
    });
  },
};

/** The built-in engines. Those that connect to a separate database are imported only if configured. */
export const engineModules: readonly Module[] = [sqlite, elasticsearch, embedded, redis];
