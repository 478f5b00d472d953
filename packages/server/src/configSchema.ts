import { isJsonObject, type ConfigSchema, type Plugin } from '@millrace/kernel';
import { httpConfig } from '@millrace/entrypoint-http';
import { memoryStoreConfig } from '@millrace/memory-store';
import { realtimeConfig } from '@millrace/realtime';
import { securityConfig } from '@millrace/security';
import { storageConfig } from '@millrace/storage';
import { serverConfig } from './config.js';
import { clusterConfig } from './engines/clusterConfig.js';
import { elasticsearchConfig } from './engines/elasticsearchConfig.js';
import { redisMemoryStoreConfig } from './engines/redisMemoryStoreConfig.js';

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
    { oauth2: pluginSection('@millrace/auth-oauth2'), saml: pluginSection('@millrace/auth-saml') },
  ];
  for (const { config } of plugins) if (config !== undefined) schemas.push(config as ConfigSchema);
  return schemas.reduce(merge, {});
}

/** A section whose plugin is absent: whatever is set there is refused with the command that installs the plugin. */
function pluginSection(packageName: string): ConfigSchema[string] {
  return {
    doc: `Section of the plugin ${packageName}; nothing can be set until that is installed`,
    format: (value: unknown) => {
      if (isJsonObject(value) && Object.keys(value).length === 0) return;
      throw new Error(
        `it needs the plugin ${packageName}: npm install ${packageName} (a program also adds it to its plugins)`,
      );
    },
    default: {},
    // Providers have secrets.
    sensitive: true,
  };
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
