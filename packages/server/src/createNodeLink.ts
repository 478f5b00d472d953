import {
  coreErrors,
  SOLE_NODE,
  type Clock,
  type Config,
  type Lifecycle,
  type Logger,
  type NodeLink,
} from '@millrace/kernel';
import type { ClusterConfig } from '@millrace/cluster';
import type { RedisMemoryStoreConfig } from '@millrace/memory-store-redis';
import { importRedisEngine } from './engines/importEngines.js';
import { importConfigured } from './importOptional.js';
import type { ServerConfig } from './ServerConfig.js';

/** Database of an address that names none. */
const DEFAULT_DATABASE = 0;

/**
 * The link to other nodes that the configuration asks for, opened by nobody yet.
 * @throws core.invalid_config where nodes would share less than they need
 */
export async function createNodeLink(
  config: Config,
  clock: Clock,
  logger: Logger,
): Promise<{ readonly link: NodeLink; readonly part: Lifecycle | undefined }> {
  const cluster = config.section<ClusterConfig>('cluster');
  if (!cluster.enabled) return { link: SOLE_NODE, part: undefined };
  await assertShared(config, cluster);
  const { name: serviceName, startTimeoutMs } = config.section<ServerConfig>('server');
  const { RedisNodeLink } = await importConfigured(
    'cluster.enabled',
    '@millrace/cluster',
    () => import('@millrace/cluster'),
  );
  const link = new RedisNodeLink({ config: cluster, serviceName, clock, logger, startTimeoutMs });
  return { link, part: link };
}

async function assertShared(config: Config, { redis: { url } }: ClusterConfig): Promise<void> {
  if (url === '') throw invalid('cluster.redis.url', 'expected the address of Redis, got ""');
  const { engine: storage } = config.section<{ engine: string }>('storage');
  if (storage === 'sqlite') {
    throw invalid('storage.engine', 'nodes of a cluster can not share "sqlite", expected "elasticsearch"'); // prettier-ignore
  }
  const memoryStore = config.section<{ engine: string; redis: RedisMemoryStoreConfig }>('memoryStore'); // prettier-ignore
  if (memoryStore.engine === 'embedded') {
    throw invalid('memoryStore.engine', 'nodes of a cluster can not share "embedded", expected "redis"'); // prettier-ignore
  }
  if (memoryStore.engine !== 'redis') return;
  const { isSameDatabase } = await importRedisEngine();
  if (isSameDatabase({ url, database: DEFAULT_DATABASE }, memoryStore.redis)) {
    throw invalid('cluster.redis.url', 'it is the database of the memory store, expected another one'); // prettier-ignore
  }
}

function invalid(key: string, problem: string): Error {
  return coreErrors.invalid_config({ problem: `Invalid configuration ${key}: ${problem}` });
}
