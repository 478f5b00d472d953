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
 * the engine gives as text are not parsed and written again. Put together by `+` and not by `join`: V8 then copies the
 * text once, when it is sent, and not at each level.
 */
export function toSearchResult(outcome: SearchOutcome, context: ResultContext): JsonText {
  const { scrollId, from, size } = context;
  const { hits, total, maxScore, timedOut, aggregations } = outcome;
  let text = scrollId === undefined ? '{' : `{"_scroll_id":${JSON.stringify(scrollId)},`;
  text += '"hits":[';
  for (const [i, hit] of hits.entries()) text += (i === 0 ? '' : ',') + toHit(hit, context);
  text += `],"total":${total},"max_score":${JSON.stringify(maxScore)},"timed_out":${timedOut}`;
  text += `,"took":${Math.round(context.tookMs)},"_shards":${SHARDS}`;
  if (aggregations !== undefined) text += `,"aggregations":${JSON.stringify(aggregations)}`;
  if (from !== undefined) text += `,"from":${from}`;
  if (size !== undefined) text += `,"size":${size}`;
  return new JsonText(`${text}}`);
}

function toHit(hit: SearchHit, { name, showsVersion }: ResultContext): string {
  const { id, score, source, sourceText, sort, highlight, innerHits, version } = hit;
  // Names that were let through need no escapes (decisions.md section 5).
  let text = `{"_index":"${name.index}","_type":"${name.collection}","_id":${JSON.stringify(id)}`;
  text += `,"_score":${JSON.stringify(score)}`;
  if (sourceText !== undefined) text += `,"_source":${sourceText}`;
  else if (source !== undefined) text += `,"_source":${JSON.stringify(source)}`;
  if (sort !== undefined) text += `,"sort":${JSON.stringify(sort)}`;
  if (highlight !== undefined) text += `,"highlight":${JSON.stringify(highlight)}`;
  if (innerHits !== undefined) text += `,"inner_hits":${JSON.stringify(innerHits)}`;
  if (showsVersion) text += `,"_version":${version}`;
  return `${text}}`;
}
