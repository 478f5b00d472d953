export { redisMemoryStoreConfig, type RedisMemoryStoreConfig } from './config.js';
export { isSameDatabase } from './databaseOf.js';
export { createRedisEngine, type RedisEngineParts } from './RedisEngine.js';
