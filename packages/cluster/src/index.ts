export type { ClusterConfig } from './ClusterConfig.js';
export { RedisNodeLink, type RedisNodeLinkParts } from './RedisNodeLink.js';
