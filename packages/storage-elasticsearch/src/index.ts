export { elasticsearchConfig, type ElasticsearchConfig } from './config.js';
export {
  createElasticsearchEngine,
  type ElasticsearchEngineOptions,
} from './createElasticsearchEngine.js';
