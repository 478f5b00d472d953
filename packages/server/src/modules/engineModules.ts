import type { BackupConfig } from '@millrace/backup';
import { INTERNAL_INDEX, type Module, type ModuleHost } from '@millrace/kernel';
import { createEmbeddedEngine, type MemoryStoreConfig } from '@millrace/memory-store';
import type { RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { createSqliteEngine, type SqliteEngine } from '@millrace/storage-sqlite';
import { takeWriter } from './ahead.js';
import { elasticsearchConfig } from '../engines/elasticsearchConfig.js';
import { historyConfig, toHistory, type HistoryValues } from '../engines/historyConfig.js';
import { importElasticsearchEngine, importRedisEngine } from '../engines/importEngines.js';
import { redisMemoryStoreConfig } from '../engines/redisMemoryStoreConfig.js';
import type { ServerConfig } from '../config.js';

/** @param recording `unrecorded`: the change log of the server isn't that of this engine */
export function createEmbedded(host: ModuleHost, recording: 'recorded' | 'unrecorded'): SqliteEngine {
  const { settings, services, log } = host;
  const { dataDir } = settings.section<ServerConfig>('server');
  const realtime = settings.section<{ readonly history: HistoryValues }>('realtime');
  const history = toHistory(realtime.history);
  const { continuous } = settings.section<BackupConfig>('backup');
  return createSqliteEngine({
    dataDir,
    logger: log,
    history: recording === 'recorded' ? history : { ...history, collections: 'subscribed' },
    // A restore to any moment needs the changes of users and roles too.
    internalIndex: continuous ? '' : services.resolve(INTERNAL_INDEX),
    takeWriter,
  });
}

const sqlite: Module = {
  name: 'storage-sqlite',
  config: { realtime: { history: historyConfig } },
  setup(host) {
    host.engine('storage', 'sqlite', () => createEmbedded(host, 'recorded'));
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
