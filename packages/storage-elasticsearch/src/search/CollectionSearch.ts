import {
  queryErrors,
  type CollectionName,
  type ScannedDocument,
  type SearchCursor,
  type SearchOptions,
  type SearchOutcome,
} from '@millrace/kernel';
import { bindQuery, bindSearch, type Query, type SearchRequest } from '@millrace/query';
import type { CollectionList } from '../catalog/CollectionList.js';
import type { CollectionState } from '../catalog/CollectionState.js';
import type { ElasticsearchConfig } from '../ElasticsearchConfig.js';
import type { ElasticsearchNames } from '../names/ElasticsearchNames.js';
import { toElasticsearchQuery } from '../query/toElasticsearchQuery.js';
import { toSearchBody } from '../query/toSearchBody.js';
import { path, type ElasticsearchClient } from '../client/ElasticsearchClient.js';
import { VERSION_FIELD } from '../client/METADATA.js';
import { ElasticsearchFailure } from '../client/ElasticsearchFailure.js';
import type { SharedRefresh } from '../writes/SharedRefresh.js';
import { PointInTime, SHARD_DOCUMENT } from './PointInTime.js';
import { SearchRequests, type CostlySearchConfig } from './SearchRequests.js';
import { ElasticsearchCursor } from './ElasticsearchCursor.js';
import { toQueryError } from './toQueryError.js';
import { versionOf } from './ElasticsearchHit.js';
import { toSearchOutcome, type ElasticsearchSearchAnswer } from './toSearchOutcome.js';

const SCAN_SIZE = 1_000;
const SCAN_KEEP_MS = 300_000;
/** A minimum, because each page may extend a scroll's lifetime, which the cursor does not see. */
const LEAST_KEEP_MS = 3_600_000;
const MOST_KEEP_MS = 86_400_000;

/** Searches, counts, cursors and scans of the engine. */
export class CollectionSearch {
  private readonly requests: SearchRequests;

  constructor(
    elasticsearch: ElasticsearchClient,
    private readonly names: ElasticsearchNames,
    private readonly collections: CollectionList,
    private readonly refreshes: SharedRefresh,
    private readonly config: CostlySearchConfig & Pick<ElasticsearchConfig, 'shards'>,
  ) {
    this.requests = new SearchRequests(elasticsearch, config);
  }

  /** See `StorageEngine.search`. */
  async search(name: CollectionName, request: SearchRequest, options?: SearchOptions): Promise<SearchOutcome> {
    return this.within(name, async ({ compiled }, alias) => {
      const bound = bindSearch(request, compiled, Date.now());
      const asked = {
        method: 'POST' as const,
        path: `${path(alias)}/_search`,
        // Several shards: scores need the statistics of all of them.
        query: this.config.shards > 1 ? { search_type: 'dfs_query_then_fetch' } : {},
        body: toSearchBody(bound, compiled),
        isSafe: true,
        signal: options?.signal,
      };
      const answer = await this.requests.ask<ElasticsearchSearchAnswer>(asked, bound.excess);
      return await toSearchOutcome(answer, name, bound, options);
    });
  }

  /** See `StorageEngine.count`. */
  async count(name: CollectionName, query: Query, options?: SearchOptions): Promise<number> {
    return this.within(name, async ({ compiled }, alias) => {
      const bound = bindQuery(query, compiled, Date.now());
      const asked = {
        method: 'POST' as const,
        path: `${path(alias)}/_count`,
        body: { query: toElasticsearchQuery(bound.query, compiled) },
        isSafe: true,
        signal: options?.signal,
      };
      const answer = await this.requests.ask<{ count: number }>(asked, bound.excess);
      return answer.count;
    });
  }

  /** See `StorageEngine.openCursor`. */
  async openCursor(name: CollectionName, request: SearchRequest): Promise<SearchCursor> {
    const { names } = this;
    return this.within(name, async ({ compiled, physical }) => {
      const nowMs = Date.now();
      const first = bindSearch(request, compiled, nowMs);
      // The aggregations of the first page hold for every page.
      const later = bindSearch({ ...request, aggregations: [] }, compiled, nowMs);
      const keepMs = Math.max(LEAST_KEEP_MS, (request.scrollMs ?? 0) + 60_000);
      const view = await PointInTime.open(this.requests, physical, Math.min(keepMs, MOST_KEEP_MS));
      return new ElasticsearchCursor(view, names, name, { first, later, compiled });
    });
  }

  /** See `StorageEngine.scan`. Finds all earlier writes, refreshed or not. */
  async *scan(name: CollectionName, query: Query, options?: SearchOptions): AsyncGenerator<readonly ScannedDocument[]> {
    const { names, refreshes } = this;
    const { view, body, excess } = await this.within(name, async ({ compiled, physical }, alias) => {
      const bound = bindQuery(query, compiled, Date.now());
      await refreshes.refresh(alias);
      return {
        view: await PointInTime.open(this.requests, physical, SCAN_KEEP_MS),
        body: { query: toElasticsearchQuery(bound.query, compiled) },
        excess: bound.excess,
      };
    });
    let signal = options?.signal;
    try {
      for (; ; signal = undefined) {
        const { hits } = await view.next(
          {
            ...body,
            size: SCAN_SIZE,
            _source: false,
            docvalue_fields: [VERSION_FIELD],
            track_total_hits: false,
            sort: [SHARD_DOCUMENT],
          },
          excess,
          signal,
        );
        if (hits.hits.length > 0) {
          yield hits.hits.map((hit) => ({ id: hit._id, version: versionOf(hit) }));
        }
        if (hits.hits.length < SCAN_SIZE) return;
      }
    } catch (error) {
      throw await this.toError(error, name);
    } finally {
      await view.close().catch(() => names);
    }
  }

  private async within<T>(
    name: CollectionName,
    work: (state: CollectionState, alias: string) => Promise<T>,
  ): Promise<T> {
    try {
      const state = await this.collections.get(name);
      return await work(state, this.names.alias(name));
    } catch (error) {
      throw await this.toError(error, name);
    }
  }

  private async toError(error: unknown, name: CollectionName): Promise<unknown> {
    if (error instanceof ElasticsearchFailure && error.isMissingIndex) {
      return this.collections.missing(name);
    }
    const isGone = (error as { id?: unknown }).id === queryErrors.scroll_not_found.id;
    return isGone ? error : toQueryError(error, this.names);
  }
}
