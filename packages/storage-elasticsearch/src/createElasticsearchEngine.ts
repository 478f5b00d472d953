import type { CopyableEngine, Logger } from '@millrace/kernel';
import type { ElasticsearchConfig } from './ElasticsearchConfig.js';

/** Options of the distributed engine. */
export interface ElasticsearchEngineOptions {
  readonly config: ElasticsearchConfig;
  /** Logs waits at the start and an Elasticsearch that doesn't respond. Default: silent. */
  readonly logger?: Logger;
}

/**
 * Creates the distributed storage engine, on Elasticsearch 8 or 9. Opens nothing before `start`. The client is loaded
 * here and not with the package, so that servers on another engine do not spend time loading it.
 */
export async function createElasticsearchEngine(options: ElasticsearchEngineOptions): Promise<CopyableEngine> {
  const { ElasticsearchEngine } = await import('./ElasticsearchEngine.js');
  return new ElasticsearchEngine(options);
}
