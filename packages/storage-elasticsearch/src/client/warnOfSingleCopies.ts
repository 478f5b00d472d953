import type { Logger } from '@millrace/kernel';
import type { ElasticsearchClient } from './ElasticsearchClient.js';

const ANSWER_WITHIN_MS = 2_000;

/**
 * Warns if new collections would have one copy although the cluster has several data nodes: an acknowledged write is
 * lost with the disk of its node. Sends one request, at the start; without a response there is no warning. Never
 * rejects.
 */
export async function warnOfSingleCopies(
  elasticsearch: Pick<ElasticsearchClient, 'ask'>,
  replicas: number,
  log: Logger,
): Promise<void> {
  if (replicas > 0) return;
  try {
    const { number_of_data_nodes: dataNodes } = await elasticsearch.ask<{
      readonly number_of_data_nodes: number;
    }>({ method: 'GET', path: '/_cluster/health', isSafe: false, timeoutMs: ANSWER_WITHIN_MS });
    if (dataNodes > 1) {
      log.warn(
        { dataNodes },
        'storage.elasticsearch.replicas is 0 on a cluster of several data nodes: each document of a new collection has one copy, on one node',
      );
    }
  } catch {
    // The engine works without this check.
  }
}
