import {
  JsonText,
  type CollectionName,
  type SearchHit,
  type SearchOutcome,
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
const SHARDS = '{"total":1,"successful":1,"failed":0}';

/**
 * The result of a search or of a page of a scroll (query-language.md section 2). Written as JSON text, so that sources that
 * the engine gives as text are not parsed and written again: for 64 MiB that would hold the event loop for a second.
 */
export function toSearchResult(outcome: SearchOutcome, context: ResultContext): JsonText {
  const { scrollId, from, size } = context;
  const { hits, total, maxScore, timedOut, aggregations } = outcome;
  const members: string[] = [];
  if (scrollId !== undefined) members.push(`"_scroll_id":${JSON.stringify(scrollId)}`);
  members.push(
    `"hits":[${hits.map((hit) => toHit(hit, context)).join()}]`,
    `"total":${total}`,
    `"max_score":${JSON.stringify(maxScore)}`,
    `"timed_out":${timedOut}`,
    `"took":${Math.round(context.tookMs)}`,
    `"_shards":${SHARDS}`,
  );
  if (aggregations !== undefined) members.push(`"aggregations":${JSON.stringify(aggregations)}`);
  if (from !== undefined) members.push(`"from":${from}`);
  if (size !== undefined) members.push(`"size":${size}`);
  return new JsonText(`{${members.join()}}`);
}

function toHit(hit: SearchHit, { name, showsVersion }: ResultContext): string {
  const { id, score, source, sourceText, sort, highlight, innerHits, version } = hit;
  // Names that were let through need no escapes (decisions.md section 5).
  const members = [
    `"_index":"${name.index}","_type":"${name.collection}"`,
    `"_id":${JSON.stringify(id)}`,
    `"_score":${JSON.stringify(score)}`,
  ];
  if (sourceText !== undefined) members.push(`"_source":${sourceText}`);
  else if (source !== undefined) members.push(`"_source":${JSON.stringify(source)}`);
  if (sort !== undefined) members.push(`"sort":${JSON.stringify(sort)}`);
  if (highlight !== undefined) members.push(`"highlight":${JSON.stringify(highlight)}`);
  if (innerHits !== undefined) members.push(`"inner_hits":${JSON.stringify(innerHits)}`);
  if (showsVersion) members.push(`"_version":${version}`);
  return `{${members.join()}}`;
}
