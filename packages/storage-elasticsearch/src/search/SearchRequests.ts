import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_RESULT_BYTES, queryErrors, type MillraceError } from '@millrace/kernel';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchServer, ServerRequest } from '../server/ElasticsearchServer.js';
import { ServerFailure } from '../server/ServerFailure.js';
import { SEARCH_LIMIT_MS } from '../query/toSearchBody.js';
import { describeExcess, type Excess } from '@millrace/query';
import { Places } from './Places.js';

/** Beyond the server's own limit, so that it is the one that answers. */
const ANSWER_WITHIN_MS = SEARCH_LIMIT_MS + 5_000;
const SIGN_OF_LIFE_WITHIN_MS = 2_000;
const WATCH_EVERY_MS = 250;
const LONGEST_WATCH_MS = 600_000;
const UNSEEN_MS = 5_000;

/** How searches that ask for more than ordinary ones are held. */
export type CostlySearchConfig = Pick<
  ElasticsearchConfig,
  'costlySearchTimeoutMs' | 'costlySearchConcurrency'
>;

/**
 * Sends searches, each for as long as what it asks for permits.
 *
 * A costly search past its time is ended by closing its connection. The server looks for that between documents, not
 * within the buckets of one, and may go on for a while. So few of them run at a time, and one that was given up keeps
 * its place until the server is done with it: however many are sent, the server has threads left for others.
 */
export class SearchRequests {
  private readonly places: Places;

  constructor(
    readonly server: ElasticsearchServer,
    private readonly config: CostlySearchConfig,
  ) {
    this.places = new Places(config.costlySearchConcurrency);
  }

  /**
   * @param excess what it asks too much of; undefined for ordinary searches
   * @throws query.invalid when a costly search takes too long, or the server has not the memory for it; ServerFailure
   */
  async ask<T>(given: ServerRequest, excess: Excess | undefined): Promise<T> {
    const request = { ...given, timeoutMs: ANSWER_WITHIN_MS, maxBytes: MAX_RESULT_BYTES };
    if (excess === undefined) return this.server.ask<T>(request);
    const { costlySearchTimeoutMs: limitMs } = this.config;
    const startedAtMs = performance.now();
    if (!(await this.places.take(limitMs))) {
      throw refusal(excess, 'may not run beside as many others that ask for so much');
    }
    const giveUpAfterMs = Math.max(1, startedAtMs + limitMs - performance.now());
    const taskName = randomUUID();
    let isLeft = false;
    try {
      return await this.server.ask<T>({ ...request, giveUpAfterMs, taskName });
    } catch (error) {
      if (!(error instanceof ServerFailure)) throw error;
      if (error.isTooLarge)
        throw refusal(excess, 'needs more memory than Elasticsearch has', error);
      if (!error.isGivenUp && !error.isCancelled) throw error;
      isLeft = true;
      void this.leaveOnceEnded(taskName);
      if (error.isCancelled) throw error;
      // A server that hangs is no fault of the request.
      await this.server.ping(SIGN_OF_LIFE_WITHIN_MS);
      throw refusal(
        excess,
        `takes longer than the ${limitMs} ms that one may which asks for so much`,
        error,
      );
    } finally {
      if (!isLeft) this.places.leave();
    }
  }

  private async leaveOnceEnded(taskName: string): Promise<void> {
    const giveUpAtMs = performance.now() + LONGEST_WATCH_MS;
    try {
      while ((await this.server.runs(taskName)) && performance.now() < giveUpAtMs) {
        await sleep(WATCH_EVERY_MS, undefined, { ref: false });
      }
    } catch {
      // Not allowed to see tasks, or an outage: as long as most go on.
      await sleep(UNSEEN_MS, undefined, { ref: false });
    }
    this.places.leave();
  }
}

function refusal(excess: Excess, what: string, cause?: unknown): MillraceError {
  const reason = describeExcess(excess, what);
  return queryErrors.invalid({ reason }, cause === undefined ? {} : { cause });
}
