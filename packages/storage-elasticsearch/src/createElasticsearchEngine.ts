import type { Logger, StorageEngine } from '@millrace/kernel';
import type { ElasticsearchConfig } from './ElasticsearchConfig.js';

/** How the distributed engine is set up. */
export interface ElasticsearchEngineOptions {
  readonly config: ElasticsearchConfig;
  /** Told of waits at the start and of a server that gives no sign of life. Default: silent. */
  readonly logger?: Logger;
}

/**
 * Makes the distributed storage engine, on Elasticsearch 8 or 9; nothing is opened before its `start`. The client is
 * loaded here and not with the package, so that servers on another engine do not pay for it at their start.
 */
export async function createElasticsearchEngine(
  options: ElasticsearchEngineOptions,
): Promise<StorageEngine> {
  const { ElasticsearchEngine } = await import('./ElasticsearchEngine.js');
  return new ElasticsearchEngine(options);
}
