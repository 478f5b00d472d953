export type { ClusterConfig } from './ClusterConfig.js';
export { LocalLog, type LocalLogParts, type LogFile } from './LocalLog.js';
export type { LogStore } from './LogStore.js';
export { RedisNodeLink } from './RedisNodeLink.js';
export type { RedisNodeLinkParts } from './RedisNodeLinkParts.js';
