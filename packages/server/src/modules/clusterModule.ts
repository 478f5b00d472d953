import {
  INTERNAL_INDEX,
  NODE_LINK,
  SOLE_NODE,
  systemClock,
  type Config,
  type Module,
  type ModuleHost,
  type NodeLink,
} from '@millrace/kernel';
import type { ClusterConfig } from '@millrace/cluster';
import { clusterConfig } from '../engines/clusterConfig.js';
import { toHistory, type HistoryValues } from '../engines/historyConfig.js';
import { importRedisEngine } from '../engines/importEngines.js';
import { importConfigured } from '../imports/importOptional.js';
import type { RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import { invalidValue, type ServerConfig } from '../config.js';

/** Redis database if the URL contains none. */
const DEFAULT_DATABASE = 0;
/** The responses of these actions wait until other nodes know the change: the next request may reach any node. */
const AWAITED = ['security.*', 'auth.*', 'collection.*'];

/** The link to other nodes, if `cluster.enabled` is set. */
export const clusterModule: Module = {
  name: 'cluster',
  config: { cluster: clusterConfig },
  async setup(host) {
    const cluster = host.settings.section<ClusterConfig>('cluster');
    const link = cluster.enabled ? await openLink(host, cluster) : SOLE_NODE;
    host.services.registerInstance(NODE_LINK, link);
  },
};

/** @throws core.invalid_config if the package is not installed, or if the memory store uses the same Redis */
async function openLink(host: ModuleHost, cluster: ClusterConfig): Promise<NodeLink> {
  await assertSeparate(host.settings, cluster);
  const { name: serviceName, startTimeoutMs } = host.settings.section<ServerConfig>('server');
  const { RedisNodeLink } = await importConfigured(
    'cluster.enabled',
    '@millrace/cluster',
    () => import('@millrace/cluster'),
  );
  const link = new RedisNodeLink({
    config: cluster,
    serviceName,
    clock: systemClock,
    logger: host.log,
    startTimeoutMs,
    history: toHistory(host.settings.section<{ readonly history: HistoryValues }>('realtime').history),
    internalIndex: host.services.resolve(INTERNAL_INDEX),
  });
  host.component('link to other nodes', () => link, 'link');
  for (const actions of AWAITED) {
    host.pipe({ when: 'after', actions, run: () => link.settled()?.then(() => undefined) });
  }
  return link;
}

async function assertSeparate(config: Config, { redis: { url } }: ClusterConfig): Promise<void> {
  if (url === '') throw invalidValue('cluster.redis.url', 'expected the address of Redis, got ""');
  const memoryStore = config.section<{ engine: string; redis: RedisMemoryStoreConfig }>('memoryStore');
  if (memoryStore.engine !== 'redis') return;
  const { isSameDatabase } = await importRedisEngine();
  if (isSameDatabase({ url, database: DEFAULT_DATABASE }, memoryStore.redis)) {
    throw invalidValue('cluster.redis.url', 'it is the database of the memory store, expected another one');
  }
}
