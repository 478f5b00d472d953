import {
  EventLoopPacer,
  JsonText,
  stringifyLong,
  toWireHit,
  type ActionResult,
  type CollectionName,
  type JsonPart,
  type MaybePromise,
  type SearchHit,
  type SearchOutcome,
} from '@millrace/kernel';
import { metadataText } from '../documents/metadataText.js';

/** The parameters of a result's shape in addition to the outcome. */
export interface ResultContext {
  readonly name: CollectionName;
  readonly tookMs: number;
  /** `version: true` in the request. */
  readonly showsVersion: boolean;
  readonly scrollId?: string;
  /** As requested; repeated only if the request has them. */
  readonly from?: number;
  readonly size?: number;
}

// The service reports one shard per search, whatever the engine uses (SEARCH-100).
const SHARDS = { total: 1, successful: 1, failed: 0 };
const SHARDS_TEXT = JSON.stringify(SHARDS);

/** Longer text becomes a separate part: one string of megabytes would be copied in one step. */
const PART_LENGTH = 65_536;

/** The result of a search or of a scroll page (SEARCH-10), from an outcome whose sources are parsed. */
export function toSearchResult(outcome: SearchOutcome, context: ResultContext): ActionResult {
  const { name, scrollId, from, size, showsVersion } = context;
  const { hits, total, maxScore, timedOut, aggregations } = outcome;
  return {
    ...(scrollId !== undefined && { _scroll_id: scrollId }),
    hits: hits.map((hit) => toWireHit(hit, name, showsVersion)),
    total,
    max_score: maxScore,
    timed_out: timedOut,
    took: Math.round(context.tookMs),
    _shards: { ...SHARDS },
    ...(aggregations !== undefined && { aggregations }),
    ...(from !== undefined && { from }),
    ...(size !== undefined && { size }),
  };
}

/**
 * The same result as JSON text, so that sources that the engine returns as text are not parsed and stringified again.
 * Strings are concatenated with `+` rather than `join`: V8 then copies them once, when they are sent, and not at each
 * level. Sources that are bytes remain parts of the result. A long result is a promise, and yields to the event loop.
 */
export function toSearchText(outcome: SearchOutcome, context: ResultContext): MaybePromise<JsonText> {
  const writing = writeParts(outcome, context);
  const { done, value } = writing.next();
  return done === true ? value : writeInTurns(writing);
}

async function writeInTurns(writing: Generator<undefined, JsonText>): Promise<JsonText> {
  const pacer = new EventLoopPacer(1);
  for (;;) {
    if (pacer.isDue()) await pacer.rest();
    const { done, value } = writing.next();
    if (done === true) return value;
  }
}

/** Pauses after each long part. */
function* writeParts(outcome: SearchOutcome, context: ResultContext): Generator<undefined, JsonText> {
  const { scrollId, from, size } = context;
  const { hits, hitsText, total, maxScore, timedOut, aggregations, aggregationsText } = outcome;
  const parts: JsonPart[] = [];
  let text = scrollId === undefined ? '{' : `{"_scroll_id":${JSON.stringify(scrollId)},`;
  text += '"hits":';
  if (typeof hitsText === 'object') {
    parts.push(text, hitsText);
    text = '';
  } else text += hitsText ?? '[';
  for (const [i, hit] of hits.entries()) {
    text += (i === 0 ? '' : ',') + hitHead(hit, context);
    const { sourceText } = hit;
    if (typeof sourceText === 'object') {
      parts.push(text, sourceText);
      text = '';
    } else if (sourceText !== undefined) text += sourceText;
    text += hitTail(hit, context);
    if (text.length < PART_LENGTH) continue;
    parts.push(text);
    text = '';
    yield;
  }
  if (hitsText === undefined) text += ']';
  text += `,"total":${total},"max_score":${JSON.stringify(maxScore)},"timed_out":${timedOut}`;
  text += `,"took":${Math.round(context.tookMs)},"_shards":${SHARDS_TEXT}`;
  if (aggregationsText !== undefined) text += `,"aggregations":${aggregationsText}`;
  else if (aggregations !== undefined) {
    text += ',"aggregations":';
    for (const part of stringifyLong(aggregations)) {
      text += part;
      if (text.length < PART_LENGTH) continue;
      parts.push(text);
      text = '';
      yield;
    }
  }
  if (from !== undefined) text += `,"from":${from}`;
  if (size !== undefined) text += `,"size":${size}`;
  text += '}';
  return new JsonText(parts.length === 0 ? text : [...parts, text]);
}

/** The text before a source that is text. */
function hitHead({ id, score, source, sourceText }: SearchHit, { name }: ResultContext): string {
  // Validated names need no escapes (DOC-1).
  const head =
    `{"_index":"${name.index}","_type":"${name.collection}","_id":${JSON.stringify(id)}` +
    `,"_score":${JSON.stringify(score)}`;
  if (sourceText !== undefined) return `${head},"_source":`;
  return source === undefined ? head : `${head},"_source":${JSON.stringify(source)}`;
}

function hitTail(hit: SearchHit, { showsVersion }: ResultContext): string {
  const { sort, highlight, innerHits, version, meta } = hit;
  let text = `,"_meta":${metadataText(meta)}`;
  if (sort !== undefined) text += `,"sort":${JSON.stringify(sort)}`;
  if (highlight !== undefined) text += `,"highlight":${JSON.stringify(highlight)}`;
  if (innerHits !== undefined) text += `,"inner_hits":${JSON.stringify(innerHits)}`;
  if (showsVersion) text += `,"_version":${version}`;
  return `${text}}`;
}
