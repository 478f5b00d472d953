import { NetworkGuard, type Config, type Logger, type Security } from '@millrace/kernel';
import type { HttpConfig } from '@millrace/entrypoint-http';
import { readDescriptorLimit } from './readDescriptorLimit.js';

// For the data files, worker threads, connections to Redis and Elasticsearch, and sockets that are being refused.
const RESERVED_DESCRIPTORS = 100;
const RESERVED_SHARE = 8;
const MIN_CONNECTIONS = 20;

/** The guard that the entrypoints of this server share. */
export function createNetworkGuard(config: Config, security: Security, log: Logger): NetworkGuard {
  const { trustedProxies, allowedHosts } = config.section<HttpConfig>('http');
  const maxConnections = maxConnectionsOf(readDescriptorLimit() ?? Infinity);
  return new NetworkGuard({ security, trustedProxies, allowedHosts, maxConnections, log });
}

/** What is left of the descriptors of a process for connections. */
export function maxConnectionsOf(descriptorLimit: number): number {
  const reserved = Math.max(RESERVED_DESCRIPTORS, descriptorLimit / RESERVED_SHARE);
  return Math.max(MIN_CONNECTIONS, Math.floor(descriptorLimit - reserved));
}
