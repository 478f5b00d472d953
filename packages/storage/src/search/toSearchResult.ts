import type {
  CollectionName,
  JsonObject,
  JsonValue,
  SearchHit,
  SearchOutcome,
} from '@millrace/kernel';

/** What the shape of a result depends on besides the outcome. */
export interface ResultContext {
  readonly name: CollectionName;
  readonly tookMs: number;
  /** `version: true` in the request. */
  readonly showsVersion: boolean;
  readonly scrollId?: string;
  /** As requested; only then they are repeated. */
  readonly from?: number;
  readonly size?: number;
}

// The service presents one shard per search, whatever the engine makes of it (query-language.md section 11).
const SHARDS: JsonObject = Object.freeze({ total: 1, successful: 1, failed: 0 });

/** The result of a search or of a page of a scroll (query-language.md section 2). */
export function toSearchResult(outcome: SearchOutcome, context: ResultContext): JsonObject {
  const { scrollId, from, size } = context;
  const result: Record<string, JsonValue> = {};
  if (scrollId !== undefined) result._scroll_id = scrollId;
  result.hits = outcome.hits.map((hit) => toHit(hit, context));
  result.total = outcome.total;
  result.max_score = outcome.maxScore;
  result.timed_out = outcome.timedOut;
  result.took = Math.round(context.tookMs);
  result._shards = SHARDS;
  if (outcome.aggregations !== undefined) result.aggregations = outcome.aggregations;
  if (from !== undefined) result.from = from;
  if (size !== undefined) result.size = size;
  return result;
}

function toHit(hit: SearchHit, { name, showsVersion }: ResultContext): JsonObject {
  const result: Record<string, JsonValue> = {
    _index: name.index,
    _type: name.collection,
    _id: hit.id,
    _score: hit.score,
  };
  if (hit.source !== undefined) result._source = hit.source;
  if (hit.sort !== undefined) result.sort = hit.sort;
  if (hit.highlight !== undefined) result.highlight = hit.highlight;
  if (hit.innerHits !== undefined) result.inner_hits = hit.innerHits;
  if (showsVersion) result._version = hit.version;
  return result;
}
