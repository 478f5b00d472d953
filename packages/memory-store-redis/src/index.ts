export type { RedisMemoryStoreConfig } from './RedisMemoryStoreConfig.js';
export { isSameDatabase } from './databaseOf.js';
export { createRedisEngine, type RedisEngineParts } from './RedisEngine.js';
