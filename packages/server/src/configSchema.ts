import type { ConfigSchema, Plugin } from '@millrace/kernel';
import { clusterConfig } from '@millrace/cluster';
import { httpConfig } from '@millrace/entrypoint-http';
import { memoryStoreConfig } from '@millrace/memory-store';
import { redisMemoryStoreConfig } from '@millrace/memory-store-redis';
import { realtimeConfig } from '@millrace/realtime';
import { securityConfig } from '@millrace/security';
import { storageConfig } from '@millrace/storage';
import { elasticsearchConfig } from '@millrace/storage-elasticsearch';
import { serverConfig } from './config.js';

/**
 * All configuration keys of a server with these plugins. A plugin's keys take the place of the server's own.
 * @param isProduction a server in production is closed until its first administrator exists (decisions.md section 7)
 */
export function configSchema(plugins: readonly Plugin[], isProduction = false): ConfigSchema {
  const openUntilFirstAdmin = { ...securityConfig.openUntilFirstAdmin, default: !isProduction };
  const schemas: ConfigSchema[] = [
    serverConfig,
    { http: httpConfig },
    { cluster: clusterConfig },
    { realtime: realtimeConfig },
    { memoryStore: memoryStoreConfig },
    { memoryStore: { redis: redisMemoryStoreConfig } },
    { security: { ...securityConfig, openUntilFirstAdmin } },
    { storage: storageConfig },
    { storage: { elasticsearch: elasticsearchConfig } },
  ];
  for (const { config } of plugins) if (config !== undefined) schemas.push(config as ConfigSchema);
  return schemas.reduce(merge, {});
}

function merge(base: ConfigSchema, added: ConfigSchema): ConfigSchema {
  const merged: Record<string, ConfigSchema[string]> = { ...base };
  for (const [name, node] of Object.entries(added)) {
    const known = merged[name];
    const bothSections = known !== undefined && !('default' in known) && !('default' in node);
    merged[name] = bothSections ? merge(known, node) : node;
  }
  return merged;
}
