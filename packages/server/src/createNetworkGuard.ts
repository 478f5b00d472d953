import { readFileSync } from 'node:fs';
import { NetworkGuard, type Config, type Logger, type Security } from '@millrace/kernel';
import type { HttpConfig } from '@millrace/entrypoint-http';

// For data files, worker threads, connections to Redis and Elasticsearch, and sockets being refused.
const RESERVED_DESCRIPTORS = 100;
const RESERVED_SHARE = 8;
const MIN_CONNECTIONS = 20;

/** The guard shared by the server's entrypoints. */
export function createNetworkGuard(config: Config, security: Security, log: Logger): NetworkGuard {
  const { trustedProxies, allowedHosts } = config.section<HttpConfig>('http');
  const maxConnections = maxConnectionsOf(readDescriptorLimit() ?? Infinity);
  return new NetworkGuard({ security, trustedProxies, allowedHosts, maxConnections, log });
}

/** The file descriptors of a process that are available for connections. */
export function maxConnectionsOf(descriptorLimit: number): number {
  const reserved = Math.max(RESERVED_DESCRIPTORS, descriptorLimit / RESERVED_SHARE);
  return Math.max(MIN_CONNECTIONS, Math.floor(descriptorLimit - reserved));
}

/**
 * The maximum number of open files, including sockets, of this process (`ulimit -n`).
 * @returns undefined if the system doesn't report one: not Linux, or unlimited
 */
export function readDescriptorLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
