import { queryErrors, type JsonObject, type JsonValue } from '@millrace/kernel';
import { toSearchAfter } from '../query/toSort.js';
import type { Excess } from '@millrace/query';
import { path, type ElasticsearchRequest } from '../client/ElasticsearchClient.js';
import { ElasticsearchFailure } from '../client/ElasticsearchFailure.js';
import type { SearchRequests } from './SearchRequests.js';
import type { ElasticsearchHit } from './ElasticsearchHit.js';
import type { ElasticsearchSearchAnswer } from './toSearchOutcome.js';

/** Elasticsearch's sort criterion that puts the hits of a view in a total order. */
export const SHARD_DOCUMENT = '_shard_doc';

/**
 * A frozen view of one collection in Elasticsearch, read page by page by the sort values of the last hit. It lives for
 * `keepAliveMs` after each page, so that the view of a crashed node expires.
 */
export class PointInTime {
  private after: readonly JsonValue[] | undefined;

  private constructor(
    private readonly requests: SearchRequests,
    private readonly physical: string,
    private id: string,
    private readonly keepAliveMs: number,
  ) {}

  /**
   * @param physical the Elasticsearch index @throws ElasticsearchFailure, its `isMissingIndex` true for an absent collection
   */
  static async open(requests: SearchRequests, physical: string, keepAliveMs: number): Promise<PointInTime> {
    const { id } = await requests.elasticsearch.ask<{ id: string }>({
      method: 'POST',
      path: `${path(physical)}/_pit`,
      query: { keep_alive: `${keepAliveMs}ms` },
      isSafe: true,
    });
    return new PointInTime(requests, physical, id, keepAliveMs);
  }

  /**
   * Reads the next page.
   * @param body with a `sort` that is the same for each page
   * @param excess the limits that the search exceeds
   * @param signal cancels this page; the page can be requested again
   * @throws query.scroll_not_found if the view has expired
   */
  async next(body: JsonObject, excess: Excess | undefined, signal?: AbortSignal): Promise<ElasticsearchSearchAnswer> {
    const request: ElasticsearchRequest = {
      method: 'POST',
      path: '/_search',
      body: {
        ...body,
        from: 0,
        pit: { id: this.id, keep_alive: `${this.keepAliveMs}ms` },
        ...(this.after === undefined ? {} : { search_after: toSearchAfter(this.after) }),
      },
      isSafe: false,
      signal,
    };
    const answer = await this.ask(request, excess);
    this.id = answer.pit_id ?? this.id;
    const last: ElasticsearchHit | undefined = answer.hits.hits.at(-1);
    if (last?.sort !== undefined) this.after = last.sort;
    return answer;
  }

  private async ask(request: ElasticsearchRequest, excess: Excess | undefined): Promise<ElasticsearchSearchAnswer> {
    try {
      return await this.requests.ask<ElasticsearchSearchAnswer>(request, excess);
    } catch (error) {
      if (!(error instanceof ElasticsearchFailure) || error.status === 0) throw error;
      // A deleted Elasticsearch index returns the same failure as one whose shards are briefly unavailable.
      if (error.status === 404 || (error.isPassing && (await this.isGone())))
        throw queryErrors.scroll_not_found({}, { cause: error });
      if (!error.isPassing) throw error;
      return this.requests.ask<ElasticsearchSearchAnswer>({ ...request, isSafe: true }, excess);
    }
  }

  private async isGone(): Promise<boolean> {
    const target = {
      method: 'GET',
      path: `${path(this.physical)}/_settings`,
      isSafe: true,
    } as const;
    return (await this.requests.elasticsearch.find(target)) === null;
  }

  async close(): Promise<void> {
    await this.requests.elasticsearch.find({
      method: 'DELETE',
      path: '/_pit',
      body: { id: this.id },
      isSafe: true,
    });
  }
}
