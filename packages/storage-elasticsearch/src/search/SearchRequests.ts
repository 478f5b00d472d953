import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_RESULT_BYTES, Places, queryErrors, type MillraceError } from '@millrace/kernel';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchClient, ElasticsearchRequest } from '../client/ElasticsearchClient.js';
import { ElasticsearchFailure } from '../client/ElasticsearchFailure.js';
import { SEARCH_LIMIT_MS } from '../query/toSearchBody.js';
import { describeExcess, type Excess } from '@millrace/query';

/** Longer than Elasticsearch's limit, so that Elasticsearch ends the search first. */
const ANSWER_WITHIN_MS = SEARCH_LIMIT_MS + 5_000;
const SIGN_OF_LIFE_WITHIN_MS = 2_000;
const WATCH_EVERY_MS = 250;
const LONGEST_WATCH_MS = 600_000;
const UNSEEN_MS = 5_000;

/** Limits of costly searches. */
export type CostlySearchConfig = Pick<ElasticsearchConfig, 'costlySearchTimeoutMs' | 'costlySearchConcurrency'>;

/**
 * Sends searches, each with a time limit that depends on its cost.
 *
 * A costly search that exceeds its limit is cancelled by closing its connection. Elasticsearch checks for cancellation
 * between documents, not within the buckets of one, and may continue for a while. Therefore few costly searches run at
 * the same time, and an abandoned one keeps its place until Elasticsearch has ended it: however many are sent,
 * Elasticsearch has threads left for other requests.
 */
export class SearchRequests {
  private readonly places: Places;

  constructor(
    readonly elasticsearch: ElasticsearchClient,
    private readonly config: CostlySearchConfig,
  ) {
    this.places = new Places(config.costlySearchConcurrency);
  }

  /**
   * @param excess the limits that the search exceeds; undefined for ordinary searches
   * @throws query.invalid if a costly search takes too long or Elasticsearch lacks the memory for it; ElasticsearchFailure
   */
  async ask<T>(given: ElasticsearchRequest, excess: Excess | undefined): Promise<T> {
    const request = { ...given, timeoutMs: ANSWER_WITHIN_MS, maxBytes: MAX_RESULT_BYTES };
    if (excess === undefined) return this.elasticsearch.ask<T>(request);
    const { costlySearchTimeoutMs: limitMs } = this.config;
    const startedAtMs = performance.now();
    if (!(await this.places.take(limitMs))) {
      throw refusal(excess, 'may not run with as many others that ask for so much');
    }
    const giveUpAfterMs = Math.max(1, startedAtMs + limitMs - performance.now());
    const taskName = randomUUID();
    let isLeft = false;
    try {
      return await this.elasticsearch.ask<T>({ ...request, giveUpAfterMs, taskName });
    } catch (error) {
      if (!(error instanceof ElasticsearchFailure)) throw error;
      if (error.isTooLarge) throw refusal(excess, 'needs more memory than Elasticsearch has', error);
      if (!error.isGivenUp && !error.isCancelled) throw error;
      isLeft = true;
      void this.leaveOnceEnded(taskName);
      if (error.isCancelled) throw error;
      // If Elasticsearch hangs, the request isn't the cause.
      await this.elasticsearch.ping(SIGN_OF_LIFE_WITHIN_MS);
      throw refusal(excess, `takes longer than the ${limitMs} ms that one may which asks for so much`, error);
    } finally {
      if (!isLeft) this.places.leave();
    }
  }

  private async leaveOnceEnded(taskName: string): Promise<void> {
    const giveUpAtMs = performance.now() + LONGEST_WATCH_MS;
    try {
      while ((await this.elasticsearch.runs(taskName)) && performance.now() < giveUpAtMs) {
        await sleep(WATCH_EVERY_MS, undefined, { ref: false });
      }
    } catch {
      // No permission to list tasks, or an outage: wait for as long as most abandoned searches continue.
      await sleep(UNSEEN_MS, undefined, { ref: false });
    }
    this.places.leave();
  }
}

function refusal(excess: Excess, what: string, cause?: unknown): MillraceError {
  const reason = describeExcess(excess, what);
  return queryErrors.invalid({ reason }, cause === undefined ? {} : { cause });
}
