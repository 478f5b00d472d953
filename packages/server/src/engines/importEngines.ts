import { importConfigured } from '../importOptional.js';

/** @throws core.invalid_config where the package is not installed */
export function importElasticsearchEngine(): Promise<
  typeof import('@millrace/storage-elasticsearch')
> {
  return importConfigured(
    'storage.engine "elasticsearch"',
    '@millrace/storage-elasticsearch',
    () => import('@millrace/storage-elasticsearch'),
  );
}

/** @throws core.invalid_config where the package is not installed */
export function importRedisEngine(): Promise<typeof import('@millrace/memory-store-redis')> {
  return importConfigured(
    'memoryStore.engine "redis"',
    '@millrace/memory-store-redis',
    () => import('@millrace/memory-store-redis'),
  );
}
