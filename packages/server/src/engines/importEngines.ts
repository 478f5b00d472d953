import { importConfigured } from '../imports/importOptional.js';

/** @throws core.invalid_config if the package is not installed */
export const importElasticsearchEngine = () =>
  importConfigured(
    'storage.engine "elasticsearch"',
    '@millrace/storage-elasticsearch',
    () => import('@millrace/storage-elasticsearch'),
  );

/** @throws core.invalid_config if the package is not installed */
export const importRedisEngine = () =>
  importConfigured(
    'memoryStore.engine "redis"',
    '@millrace/memory-store-redis',
    () => import('@millrace/memory-store-redis'),
  );
