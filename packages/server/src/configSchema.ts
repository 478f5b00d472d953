import { coreErrors, type ConfigSchema, type Plugin } from '@millrace/kernel';
import { clusterConfig } from '@millrace/cluster';
import { httpConfig } from '@millrace/entrypoint-http';
import { memoryStoreConfig } from '@millrace/memory-store';
import { redisMemoryStoreConfig } from '@millrace/memory-store-redis';
import { realtimeConfig } from '@millrace/realtime';
import { securityConfig } from '@millrace/security';
import { storageConfig } from '@millrace/storage';
import { elasticsearchConfig } from '@millrace/storage-elasticsearch';
import { serverConfig } from './config.js';

/** Sections of protocols, which the server declares only so that a file may have them without the plugin. */
const LEFT_TO_PLUGINS = ['websocket', 'fallback', 'mqtt'];

/**
 * All configuration keys of a server with these plugins, each of which has sections of its own.
 * @param isProduction a server in production is closed until its first administrator exists (decisions.md section 7)
 * @throws core.plugin_refused where a plugin declares a section that exists already
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
  const own = schemas.reduce(merge, {});
  const taken = Object.keys(own).filter((section) => !LEFT_TO_PLUGINS.includes(section));
  const owners = new Map(taken.map((section) => [section, 'the server']));
  return plugins.reduce((schema, plugin) => merge(schema, sectionsOf(plugin, owners)), own);
}

/** @throws core.plugin_refused for a section that exists already */
function sectionsOf({ name, config = {} }: Plugin, owners: Map<string, string>): ConfigSchema {
  for (const section of Object.keys(config)) {
    const owner = owners.get(section);
    if (owner !== undefined) {
      const reason = `configuration section "${section}" exists already: it belongs to ${owner}`;
      throw coreErrors.plugin_refused({ plugin: name, reason });
    }
    owners.set(section, `plugin "${name}"`);
  }
  return config as ConfigSchema;
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
