export { clusterConfig, type ClusterConfig } from './config.js';
export { RedisNodeLink, type RedisNodeLinkParts } from './RedisNodeLink.js';
