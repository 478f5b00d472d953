export type { ElasticsearchConfig } from './ElasticsearchConfig.js';
export { createElasticsearchEngine, type ElasticsearchEngineOptions } from './createElasticsearchEngine.js';
