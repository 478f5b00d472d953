export type { ClusterConfig } from './ClusterConfig.js';
export { RedisNodeLink } from './RedisNodeLink.js';
export type { RedisNodeLinkParts } from './RedisNodeLinkParts.js';
